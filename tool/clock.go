package tool

import "time"

// clock relates a clock set by WithClock to real time.
type clock struct {
	made time.Time     // a moment of real time: that of NewHost, or the one given to WithStart; zero for the default clock
	at   time.Duration // what the clock showed at the moment made

	start time.Time // when the default clock showed zero
}

// Time converts at, a reading of [Host.Now], to a time.Time. With the default clock that is real time. If the
// host has a clock of its own, such as that of a loop in virtual time, Time counts by that clock from the time
// given to [WithStart], or else from the real time and the reading at NewHost. Any goroutine may call it.
func (h *Host) Time(at time.Duration) time.Time {
	if h.clock.made.IsZero() {
		now := time.Now() // read once, so that it tells both times at the same moment
		return now.Add(at - now.Sub(h.clock.start))
	}
	return h.clock.made.Add(at - h.clock.at)
}
