package frame

import "time"

// Cut tells what cancelled a step, if anything did.
type Cut uint8

const (
	Uncut   Cut = iota // nothing has: the step has ended by itself, by its own limit or by its eviction
	Limited            // a limit around the step, or the deadline of the run's context
	Dropped            // another cancel, an eviction of a section around the step, or a branch beside it
)

// Outcome returns how the current step of f ends. If something has cut the step off, cut tells what, and err is the
// cause. Otherwise err is the error of the step, nil for success or a jump.
func (f *Frame) Outcome() (cut Cut, err error) {
	switch s := f.fiber; {
	case s.mode == raising:
		return Uncut, s.failure()
	case s.mode != dropping: // with success
		return Uncut, nil
	case s.limited():
		return Limited, s.err
	default:
		return Dropped, s.err
	}
}

// limited reports whether s is being cancelled because a limit has passed: the limit of a step around it or around its run, or
// the deadline of the run's context.
func (s *Fiber) limited() bool {
	for s.mode == dropping {
		switch {
		case s.stop != nil: // the timer of a step, or an eviction, drops the levels inside of the step
			return !s.evicted
		case s.parent() == nil:
			return s.run.limited()
		}
		s = s.parent()
	}
	return false // an error, a jump or a success of another branch has ended the fork
}

// LeftByLimit reports whether the current step of f, which waits, is left because of a limit around it or the deadline of
// the run's context. Call it when the step is told that it is left.
func (f *Frame) LeftByLimit() bool {
	for s := f.fiber; ; s = s.parent() {
		switch {
		case s.mode == raising:
			return false
		case s.mode == dropping && s.stop != nil:
			return !s.evicted
		case s.mode == running && s.top.fork != nil && s.top.fork.decided:
			return false
		case s.parent() == nil:
			return s.run.limited()
		}
	}
}

// expire makes everything inside of the current step of f be cancelled, and Timeout be raised at the step after that (C3). A
// timer that comes too late does nothing (C5).
func (r *Run) expire(f *Frame, limit time.Duration) {
	if r.overtaken(f) {
		return
	}
	err := timedOut(f, limit)
	r.cut(f, err, false)
	r.publish(TimedOut, f, err)
}

// evict makes everything inside of the current step of f, a section, be cancelled, and err be raised at the step after that
// (G9).
func (r *Run) evict(f *Frame, err error) {
	if r.overtaken(f) {
		return
	}
	r.cut(f, err, true)
	r.cur = f.fiber // the fiber that fails if the Watch ends the goroutine
	r.publish(Raised, f, err)
}

// overtaken reports whether it is too late to raise an error at the current step of f from outside: the step is being left, or
// has been completed. If it isn't too late and the step waits, completion of the wait is refused from now on.
func (r *Run) overtaken(f *Frame) bool {
	s := f.fiber
	switch {
	case s.frozen:
		return true
	case s.mode == dropping && !s.outside(f):
		return true
	default: // it is too late as well if the step has failed or was completed
		return f == s.top && (s.mode == raising || f.wait != nil && !f.wait.refuseUnlessDone())
	}
}

// cut makes everything inside of the current step of f be cancelled, and err be raised at that step after that.
func (r *Run) cut(f *Frame, err error, evicted bool) {
	r.supersede(f.fiber, f, err, evicted)
	r.freeze(f.fiber, err)
}

// outside reports whether the level f is outside of s.stop, the level at which s, which is being dropped, stops. It reports
// false if s stops at none.
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
