package frame

import "time"

// Stopwatch measures how long a section takes. It begins when the timer of a limit would be armed, see limit.go: at the
// end of the turn of the run in which it is started, or earlier if the turn is long or somebody asks for the loop. A
// section that is over by then costs no look at the clock, and a run without a loop doesn't need one. On loops of other
// packages, and in a run that was begun by Wake, it begins at once. It belongs to the goroutine of the loop.
//
//	idle ──Start──▶ young ──limits are armed──▶ running
//	young or running ──Stop──▶ idle
type Stopwatch struct {
	entry resources // a limit of 0, linked with young limits; its ends is when the measuring began, never until then
}

// Start starts w, which is idle, for a section in r.
func (w *Stopwatch) Start(r *Run) {
	w.entry.ends = never
	r.postpone(&w.entry)
	if r.eager {
		r.needLoop() // reads the clock, which may be the user's, while a panic is the step's
	}
}

// Stop ends the measuring. It doesn't read the clock.
func (w *Stopwatch) Stop(r *Run) {
	if w.entry.isYoung {
		r.forgo(&w.entry)
	}
}

// Since returns how long it has been since the measuring began, also after Stop; 0 if it hadn't begun by then.
func (w *Stopwatch) Since(r *Run) time.Duration {
	if w.entry.ends == never {
		return 0
	}
	return r.Host().Now() - w.entry.ends
}
