package frame

import "github.com/futoin-go/asyncsteps/fault"

// fail raises err at the current step of s; nil if the step has sent a signal.
func (r *Run) fail(s *Strand, err error) {
	if s.trace == nil {
		s.trace = new(trace)
	}
	s.trace.reset()
	r.front = s
	if err == nil {
		r.send(s, s.signal)
		return
	}
	s.raise(err)
	r.met().last = err
	r.tell(Raised, s.top, err)
}

// supersede turns s, whatever it was doing, to being cancelled down to stop,
// where err is raised; without stop it is cancelled entirely, because of err.
// An error that was on its way is kept as a secondary one.
func (r *Run) supersede(s *Strand, stop *Frame, err error) {
	if s.trace == nil {
		s.trace = new(trace)
	}
	if s.top != nil && s.top.slot != nil {
		s.top.slot.seal(err)
		s.top.slot.missed(s.trace) // now: it came before whatever supersedes this in turn
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
	r.front = s
}

// unwind leaves the levels of s from the innermost outwards (E1, C1). It can
// be suspended, by a branch that has to be dropped first or a goroutine that
// hasn't returned, and interrupted by a panic in the code it calls, at any
// point: what was done is gone from the frame, so it just goes on.
func (r *Run) unwind(s *Strand) {
	for s.top != nil {
		f := s.top
		if f == s.target {
			r.reach(s)
			return
		}
		if r.left--; r.left < 0 {
			r.front = s
			return
		}
		if s.mode == dropping && f == s.stop {
			s.arrive()
			r.met().last = s.err
			s.trace.reset()
		}
		if f.bits&begun == 0 {
			if f.pc == 0 && f.parent != nil {
				f.parent.mark(barren)
			}
			r.pop(s)
			continue
		}
		if !r.calm(s, f) {
			return
		}
		if r.signal.Load() == dirty { // a cancel comes before handlers
			r.front = s
			return
		}
		outcome, recovered := r.ask(s, f)
		if recovered {
			return
		}
		if f.bits&geared != 0 {
			r.shed(s, f) // what the handler has installed
			f.gear.clean(r)
			f.gear.strip() // of what hooks and cleanups have installed
			r.note(s, f)
		}
		r.tellEnd(f, s.failure())
		s.trace.add(f, outcome)
		r.pop(s)
	}
	r.departed(s)
}

// calm stops what the current step has going on: its timer, its branches or
// its wait, its hook, its context. It reports false while something of that
// has to end first.
func (r *Run) calm(s *Strand, f *Frame) bool {
	if f.bits&geared != 0 {
		f.gear.disarm()
	}
	if f.fork != nil {
		f.fork.bequeath(s.trace)
		if b := f.fork.first(); b != nil {
			if b.mode != dropping || b.stop != nil {
				r.supersede(b, nil, s.err)
				b.signal = s.signal
			}
			b.doomed = false // its turn has come
			r.front = b
			return false
		}
		f.Join(f.fork)
		f.fork = nil
	}
	if f.slot != nil && !f.slot.leave(f, s.err) {
		return false
	}
	r.shed(s, f)
	return true
}

// shed takes back what the current step has installed, but for its cleanups:
// the timer is disarmed, the context ends, the hook is called.
func (r *Run) shed(s *Strand, f *Frame) {
	if f.bits&geared != 0 {
		g := f.gear
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
	r.note(s, f)
}

// note keeps a rule that a hook or a cleanup broke: there is an error on its
// way already.
func (r *Run) note(s *Strand, f *Frame) {
	if f.bits&violated != 0 {
		f.forgive()
		s.trace.defect(r.takeBroken())
	}
}

// ask gives the handler of the current step its one chance. It reports true
// if the strand goes on.
func (r *Run) ask(s *Strand, f *Frame) (fault.Outcome, bool) {
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
			f.slot.leave(f, broken)
		case Failed:
			s.trace.also(s.err)
		default: // nothing to take back
		}
		s.err, s.signal = broken, nil
		r.met().last = broken
		outcome := s.trace.answered(fault.Replaced)
		r.tellHandled(f, fault.Replaced, given) // last: it may end the goroutine
		r.tell(Raised, f, broken)
		return outcome, false
	}
	switch v {
	case Unhandled:
		return s.trace.answered(fault.Left), false
	case Silent:
		s.err = given // which errors.Is then finds in the error of the run (E6)
		r.tellHandled(f, fault.Silent, given)
		return s.trace.answered(fault.Silent), false
	case Failed:
		r.tellHandled(f, fault.Replaced, given)
		r.met().last = s.err
		r.tell(Raised, f, s.err)
		return s.trace.replaced(given, s.err), false
	case Left:
		g := s.signal
		s.signal = nil // until the Watch has returned: it may end the goroutine
		r.tellHandled(f, fault.Replaced, given)
		r.send(s, g)
		return s.trace.answered(fault.Replaced), false
	default:
		r.tellHandled(f, fault.Recovered, given)
	}
	switch v {
	case Done:
		s.recovered()
		r.front = s
		if f.settle() {
			f.done()
		} else {
			r.fail(s, r.takeBroken())
		}
	case Waiting:
		s.recovered()
		r.suspend(f)
	case Entered:
		s.recovered()
		r.front = s
	default: // answered above
	}
	if s.mode == running {
		s.trace.clear()
	}
	return fault.Recovered, true
}

// pop leaves the innermost level of s, and the instance it was the root of.
func (r *Run) pop(s *Strand) {
	f := s.top
	s.leave()
	if p := f.parent; p != nil && p.child != nil && &p.child.root == f {
		in := p.child
		p.child = nil
		r.release(in)
	}
}

// departed ends a strand that has been left entirely, or puts that off: neither
// the error of a branch nor its success in a race comes between what its siblings
// are in the middle of.
func (r *Run) departed(s *Strand) {
	if (s.mode == raising || s.won) && s != &r.main && !s.fork.settled && s.fork.owner.mode == running && r.mustWait() {
		r.putOff().left.push(s)
		return
	}
	r.depart(s)
}

func (r *Run) depart(s *Strand) {
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
	if raised && p.mode == running {
		// The first error of the branches is the error of the fork (P3).
		p.trace, s.trace = s.trace, p.trace
		p.trace.branch(int(s.index))
		p.raise(err)
		p.target, p.signal = target, signal
		r.doom(p, err)
	} else if s.trace != nil {
		p.trace.take(s.trace)
	}
	if s.trace != nil {
		s.trace.shrink() // what it swapped in, or has handed on
	}
	if !p.doomed { // otherwise who dooms it comes to it in its turn
		r.front = p
	}
}
