package frame

import "time"

// expire raises Timeout at the current step of f, after everything below it
// has been cancelled (C3). A timer that comes too late does nothing (C5).
func (r *Run) expire(f *Frame, limit time.Duration) {
	s := f.fiber
	switch {
	case s.frozen:
		return
	case s.mode == dropping && !s.outside(f):
		return
	case s.target != nil && f.inside(s.target):
		return // a signal is leaving it: that is no error to replace (L1)
	case f == s.top && (s.mode == raising || f.wait != nil && !f.wait.refuseUnlessDone()):
		return // it has failed, or has been completed, already
	}
	err := timedOut(f, limit)
	r.supersede(s, f, err)
	r.freeze(s, err)
	r.emit(TimedOut, f, err)
}

// inside says whether f is target or further in, across fibers.
func (f *Frame) inside(target *Frame) bool {
	for s := f.fiber; s != target.fiber; s = s.parent {
		f = s.parent.top
	}
	for ; f != nil; f = f.parent {
		if f == target {
			return true
		}
	}
	return false
}

// outside says whether f is a level that s, being dropped to stop, won't leave.
func (s *Fiber) outside(f *Frame) bool {
	if s.stop == nil {
		return false
	}
	for p := s.stop.parent; p != nil; p = p.parent {
		if p == f {
			return true
		}
	}
	return false
}
