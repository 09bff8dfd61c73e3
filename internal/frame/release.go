package frame

// releaseResources takes back what the current step has installed, but for its cleanups:
// the timer is disarmed, the context ends, the hook is called.
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

// keepBroken keeps the error for a rule that a hook or a cleanup broke as a secondary error,
// because another error is unwinding.
func (r *Run) keepBroken(s *Fiber, f *Frame) {
	if f.bits&violated != 0 {
		f.forgive()
		s.trace.defect(r.takeBroken())
	}
}
