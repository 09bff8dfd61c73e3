package frame

// fail raises err at the current step of s. A nil err means that the step has sent a jump.
func (r *Run) fail(s *Fiber, err error) {
	u := s.unwinds()
	if u.trail == nil {
		u.trail = new(trail)
	}
	u.trail.reset()
	u.trail.raised()
	r.next = s
	if err == nil {
		r.beginJump(s, s.jump)
		return
	}
	err, known := s.raisedWithin(err)
	s.raise(err)
	if !known {
		r.remember(err)
	}
	r.publish(Raised, s.top, err)
}

// supersede makes s be cancelled down to stop, whatever s was doing; err is raised at stop. If stop is nil, s is cancelled
// entirely, because of err. evicted tells whether err is an eviction rather than the end of a limit. An error that was on its
// way is kept as a secondary one.
func (r *Run) supersede(s *Fiber, stop *Frame, err error, evicted bool) {
	if s.unwinds().trail == nil {
		s.trail = new(trail)
	}
	if (s.mode == raising || s.stop != nil) && s.target == nil {
		s.trail.displaced(s.err)
	}
	s.target = nil
	s.unqueue()
	s.err = err
	s.drop(stop)
	s.evicted = evicted
	if was := r.next; was != nil && was != s {
		was.unqueue()
		r.ready.unshift(was) // a shield may keep it from being frozen (K1)
	}
	r.next = s
	if s.top != nil && s.top.wait != nil { // after the moves above: seal tells the step, which may ask why it is left
		s.top.wait.seal(err)
		s.top.wait.keepError(s.trail) // now: this error is older than any that may supersede the present one
	}
	if s.top != nil && s.top.fork != nil {
		s.top.fork.bequeath(s.trail) // the survived errors are older too
	}
	s.trail.raised()
}

// unwind leaves the levels of s from the innermost outwards (E1, C1). It returns early if branches, a goroutine or the steps of
// a Finalizer have to end first, or if the run has to look at something else. A panic in the code that it calls may interrupt
// it at any point. The frame holds only what is left to do, so unwind can be called again.
func (r *Run) unwind(s *Fiber) {
	for s.top != nil {
		f := s.top
		if f == s.target {
			r.landJump(s)
			return
		}
		if r.quota <= 0 {
			r.next = s
			return
		}
		r.quota--
		if s.mode == dropping && f == s.stop {
			s.arrive()
			r.remember(s.err)
			s.trail.reset()
		}
		if f.bits&begun == 0 {
			if f.pc == 0 && f.outer != nil {
				f.outer.mark(barren)
			}
			r.pop(s)
			continue
		}
		if (f.fork != nil || f.wait != nil || f.bits&(installed|final|held|violated) != 0) && !r.stopWork(s, f) {
			r.queueHolder(s)
			return
		}
		if r.alert.Load() > calm && r.posted() { // a cancel comes before handlers
			r.next = s
			return
		}
		outcome, recovered := r.ask(s, f)
		if recovered {
			return
		}
		if f.bits&installed != 0 {
			r.releaseResources(s, f) // the resources that the handler has installed
			f.resources.clean(r)
			f.resources.strip() // drops what hooks and cleanups have installed
			r.keepBroken(s, f)
		}
		r.publishEnd(f, s.failure())
		s.trail.add(f, outcome)
		r.pop(s)
	}
	r.departed(s)
}

// stopWork ends the timer, the branches and the wait of the current step, runs the steps of a Finalizer, and calls
// releaseResources. It reports false if s can't go on at once, as a rule because branches, a goroutine or the steps of a
// Finalizer have to end first.
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

// A Finalizer is an op whose step may have to take further steps before it is left
// without success: see Frame.Finally.
type Finalizer interface {
	// Finalize is called when everything inside of the step has been left, before its hook and its handler. It reports whether
	// it has started further steps, as branches of a fork with a Shield. If so, it is called again when these have ended.
	Finalize(f *Frame, how Leaving) bool
}

// Leaving describes how a step that didn't succeed is left.
type Leaving struct {
	Err       error
	Cancelled bool // the step is left from outside, or by a jump: no handler is called
}

// Finally makes the machine call the op of the current step, a [Finalizer], before the step is
// left without success.
func (f *Frame) Finally() { f.mark(final) }

// Unfinally undoes Finally.
func (f *Frame) Unfinally() { f.unmark(final) }

// finalize runs the further steps that the op of the current step needs before the step is
// left. It reports false while they run.
func (r *Run) finalize(s *Fiber, f *Frame) bool {
	how := Leaving{Err: s.err, Cancelled: s.mode == dropping || s.target != nil}
	if !how.Cancelled {
		how.Err = s.trail.joined(s.err)
	}
	if f.Op().(Finalizer).Finalize(f, how) {
		if !r.awaitShielded(s, f) {
			r.next = s // to leave them
		}
		return false
	}
	f.unmark(final)
	return true
}

// pop leaves the innermost level of s. If Call has entered the level, its activation is given back.
func (r *Run) pop(s *Fiber) {
	f := s.top
	s.leave()
	if p := f.outer; p != nil && p.child != nil && &p.child.root == f {
		in := p.child
		p.child = nil
		r.release(in)
	}
}

// releaseResources stops the timer and ends the context of the current step, calls its cancel hook, and releases what its op,
// a Holder, holds. The cleanups stay.
func (r *Run) releaseResources(s *Fiber, f *Frame) {
	if f.bits&installed != 0 {
		g := f.resources
		g.disarm()
		g.endContext(s.err)
		if hook := g.takeHook(); hook != nil { // at most once, even if it panics (C2)
			r.doing = hooking
			hook()
			r.doing = stepping
		}
	}
	if f.bits&held != 0 {
		f.unmark(held) // as with hooks
		f.Op().(Holder).Release(f)
	}
	r.keepBroken(s, f)
}

// keepBroken keeps a secondary error if code of the step that is being left broke a rule.
func (r *Run) keepBroken(s *Fiber, f *Frame) {
	if f.bits&violated != 0 {
		f.forgive()
		s.trail.defect(r.takeBroken())
	}
}
