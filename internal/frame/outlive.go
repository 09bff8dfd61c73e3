package frame

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// awaitShielded waits for the branches of the shielded fork of f. It reports false if it can't wait.
//
// It waits for the grace at most, which counts from the moment when somebody wants the step to be left. Steps that
// undo or release something after an error have no such limit as long as nobody does (K4).
func (r *Run) awaitShielded(s *Fiber, f *Frame) bool {
	k := f.fork
	if k.armed {
		return true // something else has woken s
	}
	wait := never
	if urgent := k.left || !k.final || s.mode == dropping; urgent {
		k.tell(s.err)
		if grace := f.grace(0); grace >= 0 {
			wait = max(0, grace-(r.Tool().Host().Now()-k.told))
		}
		k.armed = true
	}
	if !f.arm(wait) { // a loop that takes no more work
		k.armed, k.over = false, true
		_ = r.cutOff(s, f)
		r.freeze(s, s.err)
		return false
	}
	if wait == never {
		f.resources.disarm() // it was to learn whether the loop takes work
	}
	return true
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
	err := r.cutOff(s, f)
	if !s.frozen { // otherwise its turn comes
		s.unqueue()
		r.next = s
	}
	r.freeze(s, s.err)       // now: the run may yield before it leaves them (O4)
	r.emit(TimedOut, f, err) // last: it may end the goroutine
}

// cutOff makes the error of a shielded step that did not end in time. It is secondary to what leaves the step, and
// reported: what was to be given back or undone may not have been (K4).
func (r *Run) cutOff(s *Fiber, f *Frame) error {
	err := f.located(fault.CutOff, "step "+f.label()+" did not end within the grace, and was cancelled", nil)
	s.trace.also(err)
	host := r.Tool().Host()
	r.Later(func() { host.Report(err) })
	return err
}
