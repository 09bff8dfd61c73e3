package frame

// advance executes steps of s until s is suspended, fails or ends, or the run has to look at something else.
//
//nolint:gocognit // in one piece, because another call would make steps measurably slower
func (r *Run) advance(s *Fiber) {
levels:
	for {
		f := s.top
		ops := f.level.Ops
		var v Verdict
		switch pc := uint(f.pc); {
		case s.resume:
			s.resume = false
			f.fork = nil
			v = ops[pc].Resume(f)
		case pc < uint(len(ops)):
			for { // the hot loop
				if r.quota <= 0 || r.alert.Load() > calm {
					r.next = s
					return
				}
				r.quota--
				f.begin()
				if r.beforeSteps {
					r.beforeStep(f)
				}
				if p, is := ops[pc].(Plain); is {
					v = p(f)
				} else {
					v = ops[pc].Exec(f)
				}
				if v != Done || f.bits != begun {
					break
				}
				f.done()
				if pc++; pc >= uint(len(ops)) {
					continue levels
				}
			}
		default:
			if r.quota <= 0 && (!r.roomy || f.outer != nil && r.quota < 0) {
				r.next = s
				return
			}
			r.quota--
			if f = f.outer; f == nil {
				r.completed(s)
				return
			}
			if s.top = f; f.child != nil { // kept, because Resume may enter the same level again
				r.endedLevel, f.child = f.child, nil
			}
			v = f.level.Ops[f.pc].Resume(f)
			if in := r.endedLevel; in != nil { // Resume hasn't reused it
				r.endedLevel = nil
				r.release(in)
			}
		}

		switch {
		case v == Done && f.bits == begun:
			f.done()
		case v == Entered && f.bits&violated == 0:
		case v == Waiting && f.bits&violated == 0:
			if r.watched {
				r.publishWaiting(f)
			}
			return
		case !r.proceeds(s, f, v):
			return
		}
	}
}

// proceeds acts on the verdicts that advance doesn't handle itself. It reports whether the fiber can go on at once.
func (r *Run) proceeds(s *Fiber, f *Frame, v Verdict) bool {
	if v == Done {
		if !f.settle() {
			r.fail(s, r.takeBroken())
			return false
		}
		f.done()
		return true
	}
	if f.bits&violated != 0 {
		f.forgive()
		err := s.failed()
		if v == Entered {
			r.pop(s) // the sub-steps that the body has returned never run
		}
		r.fail(s, r.takeBroken())
		r.freeze(s, s.err) // branches that the step may just have started
		if v == Failed {
			s.trail.also(err)
		}
		return false
	}
	switch v {
	case Forked:
		if f.fork.live == 0 {
			s.wake()
			return true
		}
	case Failed:
		if r.bound && r.isCancel(s) {
			return false
		}
		r.fail(s, s.err)
	case Jumped:
		r.fail(s, nil)
	case Halted:
	default:
		r.fail(s, violation(f, "returned step.Unwind, which only error handlers may"))
	}
	return false
}
