package frame

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
		if r.left <= 0 {
			r.next = s
			return
		}
		r.left--
		if s.mode == dropping && f == s.stop {
			s.arrive()
			r.errors().last = s.err
			s.trace.reset()
		}
		if f.bits&begun == 0 {
			if f.pc == 0 && f.outer != nil {
				f.outer.mark(barren)
			}
			r.pop(s)
			continue
		}
		if (f.fork != nil || f.wait != nil || f.bits&(installed|final|held|violated) != 0) && !r.stopWork(s, f) {
			r.besides(s)
			return
		}
		if r.signal.Load() > calm && r.posted() { // a cancel comes before handlers
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

// stopWork stops what the current step has started: its timer, its branches or its wait; then
// it runs the steps of a Finalizer, calls the hook, and ends the context. It reports false
// while one of these has to end first.
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

// pop leaves the innermost level of s, and the activation it was the root of.
func (r *Run) pop(s *Fiber) {
	f := s.top
	s.leave()
	if p := f.outer; p != nil && p.child != nil && &p.child.root == f {
		in := p.child
		p.child = nil
		r.release(in)
	}
}
