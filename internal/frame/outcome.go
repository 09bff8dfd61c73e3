package frame

// Cut tells what has ended a step from outside.
type Cut uint8

const (
	Uncut   Cut = iota // nothing: it has ended by itself
	Limited            // a limit around it, or the deadline of the run's context
	Dropped            // another cancel, or a branch beside it
)

// Outcome returns how the current step of f, which is being left, has ended: with err, nil for
// success or a signal, and what has cut it off, if anything; err is the cause then.
func (f *Frame) Outcome() (cut Cut, err error) {
	switch s := f.fiber; {
	case s.mode == raising:
		return Uncut, s.failure()
	case s.mode != dropping: // with success
		return Uncut, nil
	case s.limited():
		return Limited, s.err
	default:
		return Dropped, s.err
	}
}

// limited reports whether s is being cancelled because a limit has passed: of a step around
// it, or of the run's context.
func (s *Fiber) limited() bool {
	for s.mode == dropping {
		switch {
		case s.stop != nil: // a step's timer, or an eviction, drops a part of a fiber
			return !s.evicted
		case s.parent() == nil:
			return s.run.late()
		}
		s = s.parent()
	}
	return false // a sibling has failed, or was faster
}

// late reports whether the run is cancelled because its context's deadline has passed.
func (r *Run) late() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	why := r.asked()
	return why != nil && why.late
}

// ReportGuard reports to the observer of the run, if there is one, that a guard has changed:
// what names the guard and its new state. It is called on the loop of the run.
func (f *Frame) ReportGuard(what string) {
	if r := f.Run(); r.watched {
		r.emitEvent(Event{Kind: GuardChanged, Frame: f, Note: what})
	}
}
