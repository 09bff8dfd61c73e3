package frame

// fail raises err at the current step of s; nil if the step has sent a signal.
func (r *Run) fail(s *Fiber, err error) {
	u := s.unwinds()
	if u.trace == nil {
		u.trace = new(trace)
	}
	u.trace.reset()
	r.next = s
	if err == nil {
		r.beginSignal(s, s.signal)
		return
	}
	err = s.raisedWithin(err)
	s.raise(err)
	r.errors().last = err
	r.emit(Raised, s.top, err)
}

// supersede turns s, whatever it was doing, to being cancelled down to stop,
// where err is raised; without stop it is cancelled entirely, because of err.
// An error that was on its way is kept as a secondary one.
func (r *Run) supersede(s *Fiber, stop *Frame, err error) {
	if s.unwinds().trace == nil {
		s.trace = new(trace)
	}
	if s.top != nil && s.top.wait != nil {
		s.top.wait.seal(err)
		s.top.wait.keepError(s.trace) // now: it came before whatever supersedes this in turn
	}
	if (s.mode == raising || s.stop != nil) && s.target == nil {
		s.trace.also(s.err)
	}
	s.target = nil
	s.unqueue()
	s.err = err
	s.drop(stop)
	if was := r.next; was != nil && was != s {
		was.unqueue()
		r.ready.unshift(was) // a shield may keep it from being frozen (K1)
	}
	r.next = s
}
