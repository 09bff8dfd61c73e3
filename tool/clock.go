package tool

import "time"

// clock relates a clock of somebody's own to real time.
type clock struct {
	made time.Time     // when the host was; zero for the default clock
	at   time.Duration // what the clock showed then
}

// Time returns when [Host.Now] is at, as a time.Time. With the default clock that is real time. A host with a clock of
// its own, as of a loop in virtual time, takes what that showed at NewHost for the real time of NewHost, and counts from
// there by its own clock. Any goroutine.
func (h *Host) Time(at time.Duration) time.Time {
	if h.clock.made.IsZero() {
		return time.Now().Add(at - h.now())
	}
	return h.clock.made.Add(at - h.clock.at)
}
