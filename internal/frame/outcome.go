package frame

// Outcome returns how the current step of f, which is being left, has ended: with err, nil for
// success or a signal. cancelled reports that it was cancelled from outside for another reason
// than a limit around it; err is the cause then.
func (f *Frame) Outcome() (err error, cancelled bool) {
	switch s := f.fiber; s.mode {
	case raising:
		return s.failure(), false
	case dropping:
		return s.err, !s.limited()
	default: // with success
		return nil, false
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
