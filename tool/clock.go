package tool

import (
	"runtime/debug"
	"sync/atomic"
	"time"
)

// clock relates the clock of a host to real time.
type clock struct {
	made time.Time     // the moment of NewHost, or the one given to WithStart; zero for the default clock without WithStart
	at   time.Duration // what the clock showed at the moment made

	start time.Time // when the default clock showed zero
}

// Time converts at, a reading of [Host.Now], to a time.Time. With the default clock, and without [WithStart],
// that is real time. Otherwise Time counts by the clock of the host, such as that of a loop in virtual time, from
// the time given to WithStart, or else from the real time and the reading at NewHost. Any goroutine may call it.
func (h *Host) Time(at time.Duration) time.Time {
	if h.clock.made.IsZero() {
		now := time.Now() // read once, because both uses need the same moment
		return now.Add(at - now.Sub(h.clock.start))
	}
	return h.clock.made.Add(at - h.clock.at)
}

// unbroken returns a clock that shows what now returns. If now panics the clock shows what it showed last. Of several panics
// in a row the first is reported. The caller may hold a lock, so a goroutine is started for the report.
func (h *Host) unbroken(now func() time.Duration) func() time.Duration {
	var last atomic.Int64
	var broken atomic.Bool
	return func() (at time.Duration) {
		defer func() {
			if v := recover(); v != nil {
				at = time.Duration(last.Load())
				if err := error(&PanicError{Value: v, Stack: debug.Stack()}); !broken.Swap(true) {
					go h.Report(err)
				}
			}
		}()
		at = now()
		last.Store(int64(at))
		if broken.Load() {
			broken.Store(false)
		}
		return at
	}
}
