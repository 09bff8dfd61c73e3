package frame

import (
	"context"
	"time"
)

// Shield says that a [Fork] has to end by itself: an error, a limit, a cancel, a
// break or a continue that leaves its step waits for the branches instead of
// leaving them, for the grace (K1). The zero Shield is that of an ordinary fork.
type Shield struct {
	Shields bool
	// Hears makes the context of the branches end as soon as the step is to be left. Otherwise
	// it ends when the grace is over.
	Hears bool
}

// shielding is the state of a fork with a Shield in one run.
type shielding struct {
	Shield

	told   time.Duration // when the step was to be left, by the loop's clock; only if leaving
	left   bool          // the step is to be left
	armed  bool          // the step waits for the branches
	over   bool          // the grace has passed: the branches are left like those of any fork
	final  bool          // its step was being left when it began
	why    error         // the error given to tell
	base   context.Context
	cancel context.CancelCauseFunc // of base; nil until somebody asks for a context
}

// begins prepares the shield of k for another use.
func (k *Fork) begins(s *Fiber) {
	k.left, k.armed, k.over = false, false, false
	k.final = s.mode != running
}

// shields reports whether k is a shield whose steps haven't ended. An error or a cancel that leaves the step that
// holds k waits for them.
func (k *Fork) shields() bool { return k.Shields && !k.over }

// Succeeded reports whether all branches have ended with success.
func (k *Fork) Succeeded() bool { return k.live == 0 }

// context is the parent of the contexts of the branches: it has the values of the
// step that holds k, and neither its end nor its deadline.
func (k *Fork) context() context.Context {
	if k.base == nil {
		outer := k.owner.top.Outer()
		k.base, k.cancel = context.WithCancelCause(context.WithoutCancel(outer))
		if k.left && (k.Hears || k.over) {
			k.cancel(k.why)
		}
	}
	return k.base
}

// endContext ends the contexts of the branches.
func (k *Fork) endContext(cause error) {
	if cancel := k.cancel; cancel != nil {
		k.base, k.cancel = nil, nil
		cancel(cause)
	}
}

// Sheltered reports whether the current step of f is part of a shield, also of one around the part that its run is: what
// leaves the run waits for it.
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

// tell records that the step of k is to be left.
func (k *Fork) tell(cause error) {
	if k.left {
		return
	}
	r := k.owner.run
	r.ordered = true // what leaves the step gets as far as it can before its branches begin another one (O4)
	k.left, k.why, k.told = true, cause, r.Tool().Host().Now()
	if !k.Hears {
		return
	}
	if k.cancel != nil {
		k.cancel(cause)
	}
	k.call()
}
