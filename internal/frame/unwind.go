package frame

import "github.com/futoin-go/asyncsteps/fault"

// fail raises err at the current step of s; nil if the step has sent a signal.
func (r *Run) fail(s *Fiber, err error) {
	if s.trace == nil {
		s.trace = new(trace)
	}
	s.trace.reset()
	r.next = s
	if err == nil {
		r.beginSignal(s, s.signal)
		return
	}
	s.raise(err)
	r.errors().last = err
	r.emit(Raised, s.top, err)
}

// supersede turns s, whatever it was doing, to being cancelled down to stop,
// where err is raised; without stop it is cancelled entirely, because of err.
// An error that was on its way is kept as a secondary one.
func (r *Run) supersede(s *Fiber, stop *Frame, err error) {
	if s.trace == nil {
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
	if s.top != nil {
		s.top.signal = nil
	}
	s.unqueue()
	s.err = err
	s.drop(stop)
	r.next = s
}

// unwind leaves the levels of s from the innermost outwards (E1, C1). It can
// be suspended, by a branch that has to be dropped first or a goroutine that
// hasn't returned, and interrupted by a panic in the code it calls, at any
// point: what was done is gone from the frame, so it just goes on.
func (r *Run) unwind(s *Fiber) {
	for s.top != nil {
		f := s.top
		if f == s.target {
			r.deliverSignal(s)
			return
		}
		if r.left--; r.left < 0 {
			r.next = s
			return
		}
		if s.mode == dropping && f == s.stop {
			s.arrive()
			r.errors().last = s.err
			s.trace.reset()
		}
		if f.bits&begun == 0 {
			if f.pc == 0 && f.parent != nil {
				f.parent.mark(barren)
			}
			r.pop(s)
			continue
		}
		if !r.stopWork(s, f) {
			return
		}
		if r.signal.Load() == dirty { // a cancel comes before handlers
			r.next = s
			return
		}
		outcome, recovered := r.ask(s, f)
		if recovered {
			return
		}
		if f.bits&installed != 0 {
			r.releaseResources(s, f) // what the handler has installed
			f.resources.clean(r)
			f.resources.strip() // of what hooks and cleanups have installed
			r.keepBroken(s, f)
		}
		r.emitEnd(f, s.failure())
		s.trace.add(f, outcome)
		r.pop(s)
	}
	r.departed(s)
}

// stopWork stops what the current step has going on: its timer, its branches or
// its wait, then, after the steps that its op still has to take, its hook and its
// context. It reports false while something of that has to end first.
func (r *Run) stopWork(s *Fiber, f *Frame) bool {
	if f.bits&installed != 0 && (f.fork == nil || !f.fork.armed) {
		f.resources.disarm()
	}
	if f.fork != nil && !r.leaveFork(s, f) || f.wait != nil && !f.wait.leave(f, s.err) {
		return false
	}
	if f.bits&final != 0 && !r.finalize(s, f) {
		return false
	}
	r.releaseResources(s, f)
	return true
}

// releaseResources takes back what the current step has installed, but for its cleanups:
// the timer is disarmed, the context ends, the hook is called.
func (r *Run) releaseResources(s *Fiber, f *Frame) {
	if f.bits&installed != 0 {
		g := f.resources
		g.disarm()
		g.endContext(s.err)
		if hook := g.hook; hook != nil {
			g.hook = nil // at most once, even if it panics (C2)
			r.doing = hooking
			hook()
			r.doing = stepping
		}
	}
	if f.bits&held != 0 {
		f.unmark(held) // as with hooks
		r.doing = hooking
		f.Op().(Holder).Release(f)
		r.doing = stepping
	}
	r.keepBroken(s, f)
}

// keepBroken keeps a rule that a hook or a cleanup broke: there is an error on its
// way already.
func (r *Run) keepBroken(s *Fiber, f *Frame) {
	if f.bits&violated != 0 {
		f.forgive()
		s.trace.defect(r.takeBroken())
	}
}

// ask gives the handler of the current step its one chance. It reports true
// if the fiber goes on.
func (r *Run) ask(s *Fiber, f *Frame) (fault.Outcome, bool) {
	if s.mode != raising || s.target != nil {
		return fault.Left, false
	}
	if f.bits&handled != 0 {
		return s.trace.spent(), false
	}
	asked := s.err
	given := s.trace.joined(asked) // first: it asks somebody's code
	f.spend()
	r.doing = handling
	v := f.level.Ops[f.pc].Handle(f, given)
	r.doing = stepping
	if f.bits&violated != 0 {
		f.forgive()
		broken := r.takeBroken()
		s.trace.also(asked) // nobody has answered it
		switch v {
		case Entered:
			r.pop(s) // the sub-steps that it wanted never run
		case Waiting:
			f.wait.leave(f, broken)
		case Failed:
			s.trace.also(s.err)
		default: // nothing to take back
		}
		s.err, s.signal = broken, nil
		r.errors().last = broken
		outcome := s.trace.answered(fault.Replaced)
		r.emitHandled(f, fault.Replaced, given) // last: it may end the goroutine
		r.emit(Raised, f, broken)
		return outcome, false
	}
	switch v {
	case Unhandled:
		return s.trace.answered(fault.Left), false
	case Silent:
		s.err = given // which errors.Is then finds in the error of the run (E6)
		r.emitHandled(f, fault.Silent, given)
		return s.trace.answered(fault.Silent), false
	case Failed:
		r.emitHandled(f, fault.Replaced, given)
		r.errors().last = s.err
		r.emit(Raised, f, s.err)
		return s.trace.replaced(given, s.err), false
	case Left:
		g := s.signal
		s.signal = nil // until the Watch has returned: it may end the goroutine
		r.emitHandled(f, fault.Replaced, given)
		r.beginSignal(s, g)
		return s.trace.answered(fault.Replaced), false
	default:
		r.emitHandled(f, fault.Recovered, given)
	}
	switch v {
	case Done:
		s.recovered()
		r.next = s
		if f.settle() {
			f.done()
		} else {
			r.fail(s, r.takeBroken())
		}
	case Waiting:
		s.recovered()
		r.emitWaiting(f)
	case Entered:
		s.recovered()
		r.next = s
	default: // answered above
	}
	if s.mode == running {
		s.trace.clear()
	}
	return fault.Recovered, true
}

// pop leaves the innermost level of s, and the activation it was the root of.
func (r *Run) pop(s *Fiber) {
	f := s.top
	s.leave()
	if p := f.parent; p != nil && p.child != nil && &p.child.root == f {
		in := p.child
		p.child = nil
		r.release(in)
	}
}

// departed ends a fiber that has been left entirely, or puts that off: neither
// the error of a branch nor its success in a race comes between what its siblings
// are in the middle of.
func (r *Run) departed(s *Fiber) {
	if (s.mode == raising || s.won) && s != &r.main && !s.fork.settled && s.fork.owner.mode == running && r.mustWait() {
		r.putOff().left.push(s)
		return
	}
	r.depart(s)
}

func (r *Run) depart(s *Fiber) {
	raised, won, err, target, signal := s.mode == raising, s.won, s.err, s.target, s.signal
	s.target = nil
	s.end()
	if s == &r.main {
		if raised {
			r.finish(r.report(s.trace, err))
		} else {
			r.finish(r.cancelled(s.trace, reporting))
		}
		return
	}
	p := s.fork.owner
	s.err = nil
	if p.mode == running && s.fork.races() && target == nil && r.decide(s.fork, s, won, err) {
		return
	}
	switch {
	case raised && p.mode == running:
		// The first error of the branches is the error of the fork (P3).
		p.trace, s.trace = s.trace, p.trace
		p.trace.branch(int(s.index))
		p.raise(err)
		p.target, p.signal = target, signal
		r.freeze(p, err)
	case raised && target == nil && s.fork.Shields:
		s.bequeath(p, err)
	case s.trace != nil:
		p.trace.take(s.trace)
	}
	if s.trace != nil {
		s.trace.shrink() // what it swapped in, or has handed on
	}
	if !p.frozen { // otherwise who freezes it comes to it in its turn
		r.next = p
	}
}
