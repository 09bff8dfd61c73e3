package frame

import "time"

// Clock makes Outcome measure how long the section takes. A guard calls it from
// Enter.
func (c *Ticket) Clock() { c.clocked = true }

// Outcome is how a section has ended.
type Outcome struct {
	Err       error         // nil: with success or a signal; otherwise the error, or the cause of the cancel
	Cancelled bool          // it was cancelled from outside, and not because of a limit around it
	Took      time.Duration // since it was let in; zero without Clock
}

// Outcome is how the section of the ticket has ended, once End has reported Leave
// and until the guard has returned.
func (c *Ticket) Outcome() Outcome {
	var o Outcome
	switch s := c.frame.fiber; s.mode {
	case raising:
		o.Err = s.failure()
	case dropping:
		o.Err, o.Cancelled = s.err, !s.limited()
	default: // with success
	}
	if c.clocked && !c.unused {
		o.Took = c.Loop().Host().Now() - c.since
	}
	return o
}

// limited reports whether s, which is being cancelled, is so because a limit has
// passed: of a step around it, or of the run's context.
func (s *Fiber) limited() bool {
	for s.mode == dropping {
		switch {
		case s.stop != nil: // a step's timer, or an eviction, drops a part of a fiber
			return s.stop.bits&installed == 0 || !s.stop.resources.evicted
		case s.parent == nil:
			return s.run.late()
		}
		s = s.parent
	}
	return false // a sibling has failed, or was faster
}

// late reports whether the run is cancelled because its context's deadline has passed.
func (r *Run) late() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.request != nil && r.request.late
}

// Report tells the observer of the run, if any, that the guard of the ticket has
// changed: what says which guard it is, and its new state. On the loop of the run,
// while the guard is asked or told.
func (c *Ticket) Report(what string) {
	if r := c.frame.Run(); r.watcher != nil {
		r.emitEvent(Event{Kind: GuardChanged, Frame: c.frame, Note: what})
	}
}
