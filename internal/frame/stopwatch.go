package frame

import "time"

// Stopwatch measures how long a part of a run takes. Like the timer of a limit it begins at the end of the turn of
// the run in which it is started, or when somebody asks for the loop before that: a part that is over by then costs
// no look at the clock, and a run without a loop doesn't need one. On loops of other packages it begins at once. It belongs to
// the goroutine of the loop.
//
//	idle ──Start──▶ young ──end of the turn──▶ running
//	young or running ──Stop──▶ idle
type Stopwatch struct {
	entry resources // a limit of 0, among those that are young; its ends is when the measuring began, never if it hasn't
}

// Start starts w, which is idle, for a part of r.
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
