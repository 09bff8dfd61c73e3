package frame

import "github.com/futoin-go/asyncsteps/fault"

// ask gives the handler of the current step its one chance. It reports true
// if the fiber goes on.
func (r *Run) ask(s *Fiber, f *Frame) (fault.Outcome, bool) {
	u := s.unwinding
	if s.mode != raising || u.target != nil {
		return fault.Left, false
	}
	if f.bits&handled != 0 {
		return u.trace.spent(), false
	}
	asked := u.err
	given := u.trace.joined(asked) // first: it calls code of the user's
	f.spend()
	r.doing = handling
	v := f.level.Ops[f.pc].Handle(f, given)
	r.doing = stepping
	if f.bits&violated != 0 {
		return r.handlerBroke(s, f, v, asked, given), false
	}
	switch v {
	case Unhandled:
		return u.trace.answered(fault.Left), false
	case Silent, Failed, Left:
		f.void()
		return r.handlerPassed(s, f, v, given), false
	default:
		if r.watched {
			r.emitHandled(f, fault.Recovered, given)
		}
	}
	s.recovered()
	switch v {
	case Done:
		r.next = s
		if f.settle() {
			f.done()
		} else {
			r.fail(s, r.takeBroken())
		}
	case Waiting:
		r.emitWaiting(f)
	default: // Entered
		r.next = s
	}
	if s.mode == running {
		u.trace.clear()
	}
	return fault.Recovered, true
}

// handlerBroke replaces the error after the handler broke a rule, whatever its verdict was.
func (r *Run) handlerBroke(s *Fiber, f *Frame, v Verdict, asked, given error) fault.Outcome {
	f.forgive()
	broken := r.takeBroken()
	s.trace.also(asked) // nobody has answered it
	switch v {
	case Entered:
		r.pop(s) // the sub-steps that it wanted never run
	case Waiting:
		f.wait.leave(f, broken)
	case Failed:
		f.void()
		s.trace.also(s.err)
	default:
		f.void()
	}
	s.err, s.signal = broken, nil
	r.errors().last = broken
	outcome := s.trace.answered(fault.Replaced)
	r.emitHandled(f, fault.Replaced, given) // last: it may end the goroutine
	r.emit(Raised, f, broken)
	return outcome
}

// handlerPassed continues the unwinding after the handler: with the same error, with another
// one, or with a signal.
func (r *Run) handlerPassed(s *Fiber, f *Frame, v Verdict, given error) fault.Outcome {
	switch v {
	case Silent:
		s.err = given // which errors.Is then finds in the error of the run (E6)
		r.emitHandled(f, fault.Silent, given)
		return s.trace.answered(fault.Silent)
	case Failed:
		r.emitHandled(f, fault.Replaced, given)
		r.errors().last = s.err
		r.emit(Raised, f, s.err)
		return s.trace.replaced(given, s.err)
	default:
		g := s.signal
		s.signal = nil // until the Watch has returned: it may end the goroutine
		r.emitHandled(f, fault.Replaced, given)
		r.beginSignal(s, g)
		return s.trace.answered(fault.Replaced)
	}
}
