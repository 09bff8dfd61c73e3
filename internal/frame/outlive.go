package frame

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// awaitShielded waits for the branches of the shielded fork of f, for the grace at most. It
// reports false if it can't wait.
func (r *Run) awaitShielded(s *Fiber, f *Frame) bool {
	k := f.fork
	k.tell(s.err)
	if k.armed {
		return true // something else has woken s
	}
	host := r.Tool().Host()
	grace, wait := f.grace(0), never
	if grace >= 0 {
		wait = max(0, grace-(host.Now()-k.told))
	}
	if k.armed = f.arm(wait); !k.armed {
		k.over = true // a loop that takes no more work
		s.trace.also(f.outlived())
		r.freeze(s, s.err)
	}
	if wait == never {
		f.resources.disarm() // it was to learn whether the loop takes work
	}
	return k.armed
}

// arm arms the timer of the current step for the fork that it holds. It reports
// false if the loop takes no more work.
func (f *Frame) arm(d time.Duration) bool {
	g := f.equip()
	g.disarm()
	h, err := f.Run().Tool().Deferred(d, g.fire)
	if err != nil {
		return false
	}
	g.timer, g.limit, g.ends, g.alarm = h, max(d, 1), never, true // no deadline of what runs under the step (C8)
	return true
}

// outlive ends the grace of the fork that f holds.
func (r *Run) outlive(f *Frame) {
	k, s := f.fork, f.fiber
	if !k.shields() || k.first() == nil {
		return
	}
	k.armed, k.over = false, true
	err := f.outlived()
	s.trace.also(err)
	if !s.frozen { // otherwise its turn comes
		s.unqueue()
		r.next = s
	}
	r.freeze(s, s.err)       // now: the run may yield before it leaves them (O4)
	r.complain([]error{err}) // last: it may end the goroutine
}

// outlived is the error of a shielded step that did not end in time.
func (f *Frame) outlived() error {
	return f.located(fault.Timeout, "step "+f.label()+" did not end within the grace, and was cancelled", nil)
}
