package frame

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// Shield tells whether the branches of a [Fork] end by themselves: then whatever leaves its step, such as an error or a cancel,
// waits for the branches instead of leaving them (K1), as a rule at most for the grace (K4). The zero Shield is that of an
// ordinary fork.
type Shield struct {
	Shields bool
	// Hears makes the context of the branches end as soon as the step is to be left. Otherwise that context ends when the grace
	// is over, or when all branches have ended.
	Hears bool
	// Releases makes an error of the branches a defect if the step is left while they run (K2).
	Releases bool
}

// shielding is the state of a fork with a Shield in one run.
type shielding struct {
	Shield

	told   time.Duration // when tell was called first, by the loop's clock; valid if left
	left   bool          // the step is to be left
	armed  bool          // the step is being left, and waits for its branches within the grace
	over   bool          // the grace has passed, or the loop refuses its timer: the branches are left like those of a fork without a shield
	final  bool          // its step was being left already when the fork began
	why    error         // the cause given to tell
	base   context.Context
	cancel context.CancelCauseFunc // of base; nil until somebody asks for a context
}

func (k *Fork) resetShield(s *Fiber) {
	k.left, k.armed, k.over = false, false, false
	k.final = s.mode != running
}

// shields reports whether k is a shield whose grace isn't over: then what leaves the step waits for the branches.
func (k *Fork) shields() bool { return k.Shields && !k.over }

// Succeeded reports whether all branches have ended with success.
func (k *Fork) Succeeded() bool { return k.live == 0 }

// context returns the parent of the contexts of the branches: it has the values of the context around the step that holds k,
// but neither the end nor the deadline of that context.
func (k *Fork) context() context.Context {
	if k.base == nil {
		outer := k.holder.top.Outer()
		k.base, k.cancel = context.WithCancelCause(context.WithoutCancel(outer))
		if k.left && (k.Hears || k.over) {
			k.cancel(k.why)
		}
	}
	return k.base
}

func (k *Fork) endContext(cause error) {
	if cancel := k.cancel; cancel != nil {
		k.base, k.cancel = nil, nil
		cancel(cause)
	}
}

// tell records that the step of k is to be left, and tells the branches if k hears.
func (k *Fork) tell(cause error) {
	if k.left {
		return
	}
	r := k.holder.run
	r.ordered = true // what leaves the step gets as far as it can before the branches begin further steps (O4)
	k.left, k.why, k.told = true, cause, r.Host().Now()
	if !k.Hears {
		return
	}
	if k.cancel != nil {
		k.cancel(cause)
	}
	k.callHearers()
}

// awaitShielded waits for the branches of the shielded fork of f. It reports false if the loop takes no more work, so
// that the branches have to be left.
//
// The wait is limited by the grace, which counts from the moment when something wants the step to be left. Steps that undo or
// release something after an error have no limit until then (K4).
func (r *Run) awaitShielded(s *Fiber, f *Frame) bool {
	k := f.fork
	if k.armed {
		return true // something else has woken s
	}
	wait := never
	if urgent := k.left || !k.final || s.mode == dropping; urgent {
		k.tell(s.err)
		if grace := f.grace(0); grace >= 0 {
			wait = max(0, grace-(r.Host().Now()-k.told))
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
		f.resources.disarm() // the timer was armed only to learn whether the loop takes work
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
	g.timer, g.limit, g.ends, g.alarm = h, max(d, 1), never, true // no deadline for what runs under the step (C8)
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
	if !s.frozen { // if it is frozen, its own turn to be left comes
		s.unqueue()
		r.next = s
	}
	r.freeze(s, s.err)          // now, because the run may yield before it leaves the branches (O4)
	r.publish(TimedOut, f, err) // last: it may end the goroutine
}

// cutOff makes the error of a shielded step that did not end in time. The error becomes secondary to what leaves the step. It
// is also reported, because something may not have been given back or undone (K4).
func (r *Run) cutOff(s *Fiber, f *Frame) error {
	err := f.located(fault.CutOff, "step "+f.label()+" did not end within the grace, and was cancelled", nil)
	s.trail.also(err)
	host := r.Host()
	r.Later(func() { host.Report(err) })
	return err
}

// Sheltered reports whether the current step of f is inside a shield of its run or, if the run is a part, of a run around it.
// Then what leaves the run waits for the step.
func (f *Frame) Sheltered() bool {
	for f != nil {
		if f.fiber.sheltered() {
			return true
		}
		l := f.Run().lingers()
		if l == nil {
			break
		}
		f = l.frame
	}
	return false
}

// sheltered reports whether s descends from a shield, so that a cancel of the run waits for s.
func (s *Fiber) sheltered() bool {
	for ; s.fork != nil; s = s.fork.holder {
		if s.fork.shields() {
			return true
		}
	}
	return false
}

// A Hearer is an op whose step may wait for something that becomes pointless when an acquire, or the do of an Undo, around the
// step is to be left (K3). An example is the pause of a retry.
type Hearer interface {
	// Hear is called for the current step of f, which waits, on the loop. It must not call user code.
	Hear(f *Frame)
}

// Unwanted reports whether the nearest shield around the current step of f hears, and the step of that shield is to be left.
func (f *Frame) Unwanted() bool {
	for f != nil {
		s := f.fiber
		for ; s.fork != nil; s = s.fork.holder {
			if k := s.fork; k.Shields {
				return k.Hears && k.left
			}
		}
		l := s.run.lingers()
		if l == nil {
			return false
		}
		f = l.frame
	}
	return false
}

// callHearers calls Hear for the steps under k that wait and whose op is a Hearer, because k is to be left.
func (k *Fork) callHearers() {
	all := k.holder.run.partsUnder(k, k.fibers(nil))
	for len(all) > 0 {
		f := all[len(all)-1].top
		all = all[:len(all)-1]
		switch {
		case f == nil:
		case f.fork != nil:
			if !f.fork.Shields {
				all = f.fork.fibers(all)
			}
		case f.wait != nil:
			if h, ok := f.Op().(Hearer); ok {
				h.Hear(f)
			}
		}
	}
}

func (k *Fork) fibers(all []*Fiber) []*Fiber {
	for i := range k.count() {
		all = append(all, &k.Branch(i).fiber)
	}
	return all
}

// under reports whether s is under k, or in no shield if k is nil.
func (s *Fiber) under(k *Fork) bool {
	for ; s.fork != nil; s = s.fork.holder {
		if s.fork == k {
			return true
		}
		if s.fork.Shields {
			return false
		}
	}
	return k == nil
}
