package frame

import "time"

// expire raises Timeout at the current step of f, after everything inside of it
// has been cancelled (C3). A timer that comes too late does nothing (C5).
func (r *Run) expire(f *Frame, limit time.Duration) {
	if r.overtaken(f) {
		return
	}
	err := timedOut(f, limit)
	r.cut(f, err)
	r.emit(TimedOut, f, err)
}

// overtaken reports whether it is too late to raise an error at the current step of
// f from outside: the step is being left, or has been completed.
func (r *Run) overtaken(f *Frame) bool {
	s := f.fiber
	switch {
	case s.frozen:
		return true
	case s.mode == dropping && !s.outside(f):
		return true
	default: // or it has failed, or has been completed, already
		return f == s.top && (s.mode == raising || f.wait != nil && !f.wait.refuseUnlessDone())
	}
}

// cut cancels everything inside of the current step of f, and raises err at that step.
func (r *Run) cut(f *Frame, err error) {
	r.supersede(f.fiber, f, err)
	r.freeze(f.fiber, err)
}

// outside reports whether f is a level that s, which is being dropped to stop, won't leave.
func (s *Fiber) outside(f *Frame) bool {
	if s.stop == nil {
		return false
	}
	for p := s.stop.outer; p != nil; p = p.outer {
		if p == f {
			return true
		}
	}
	return false
}
