package frame

import "github.com/futoin-go/asyncsteps/fault"

// ask calls the handler of the current step if s is raising an error and the handler isn't used up. It returns the outcome for
// the trail, and true if the handler has recovered the error.
func (r *Run) ask(s *Fiber, f *Frame) (fault.Outcome, bool) {
	u := s.unwinding
	if s.mode != raising || u.target != nil {
		return fault.Left, false
	}
	if f.bits&handled != 0 {
		return u.trail.spent(), false
	}
	asked := u.err
	given := u.trail.joined(asked) // before spend, because it calls methods of the error, which may end the goroutine
	f.spend()
	r.doing = handling
	v := f.level.Ops[f.pc].Handle(f, given)
	r.doing = stepping
	if f.bits&violated != 0 {
		return r.handlerBroke(s, f, v, asked, given), false
	}
	switch v {
	case Unhandled:
		return u.trail.answered(fault.Left), false
	case Silent, Failed, Jumped:
		f.void()
		return r.handlerPassed(s, f, v, given), false
	default:
		if r.watched {
			r.publishHandled(f, fault.Recovered, given)
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
		r.publishWaiting(f)
	default: // Entered
		r.next = s
	}
	if s.mode == running {
		u.trail.clear()
	}
	return fault.Recovered, true
}

// handlerBroke replaces the error with that of the rule that the code of the handler has broken.
func (r *Run) handlerBroke(s *Fiber, f *Frame, v Verdict, asked, given error) fault.Outcome {
	f.forgive()
	broken := r.takeBroken()
	s.trail.also(asked) // no handler has answered it
	switch v {
	case Entered:
		r.pop(s) // the sub-steps that the handler has returned never run
	case Waiting:
		f.wait.leave(f, broken)
	case Failed:
		f.void()
		s.trail.also(s.err)
	default:
		f.void()
	}
	s.err, s.jump = broken, nil
	r.remember(broken)
	s.trail.raised()
	outcome := s.trail.answered(fault.Replaced)
	r.publishHandled(f, fault.Replaced, given) // after all moves: the Watch may end the goroutine
	r.publish(Raised, f, broken)
	return outcome
}

func (r *Run) handlerPassed(s *Fiber, f *Frame, v Verdict, given error) fault.Outcome {
	switch v {
	case Silent:
		s.err = given // which errors.Is then finds in the error of the run (E6)
		r.publishHandled(f, fault.Silent, given)
		return s.trail.answered(fault.Silent)
	case Failed:
		r.publishHandled(f, fault.Replaced, given)
		s.trail.raised()
		r.remember(s.err)
		r.publish(Raised, f, s.err)
		return s.trail.replaced(given, s.err)
	default:
		g := s.jump
		s.jump = nil // until the Watch has returned: it may end the goroutine
		r.publishHandled(f, fault.Replaced, given)
		r.beginJump(s, g)
		return s.trail.answered(fault.Replaced)
	}
}
