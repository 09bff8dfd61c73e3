package frame

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// Shield says that a [Fork] has to end by itself: an error, a limit, a cancel, a
// break or a continue that leaves its step waits for the branches instead of
// leaving them, for the grace (K1). The zero Shield is that of an ordinary fork.
type Shield struct {
	Shields bool
	// Hears says that the context of what runs in the fork ends as soon as the
	// step is to be left. Otherwise it ends when the grace is over.
	Hears bool
}

// shielding is what a fork with a Shield remembers of one run.
type shielding struct {
	Shield

	told   time.Duration // when the step was to be left, by the loop's clock; only if leaving
	left   bool          // the step is to be left
	armed  bool          // the step waits for the branches
	over   bool          // it has passed: the branches are left as those of any fork
	final  bool          // its step was being left when it began
	why    error         // given to tell
	base   context.Context
	cancel context.CancelCauseFunc // of base; nil until somebody asks for a context
}

// begins prepares the shield of k for another use.
func (k *Fork) begins(s *Fiber) {
	k.left, k.armed, k.over = false, false, false
	k.final = s.mode != running
}

// shields reports whether what leaves the step has to wait for k.
func (k *Fork) shields() bool { return k.Shields && !k.over }

// Succeeded reports whether all branches have ended with success.
func (k *Fork) Succeeded() bool { return k.live == 0 }

// context is what contexts of the branches are made of: it has the values of the
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

// tell notes that the step of k is to be left.
func (k *Fork) tell(cause error) {
	if k.left {
		return
	}
	k.left, k.why, k.told = true, cause, k.owner.run.Tool().Host().Now()
	if k.Hears && k.cancel != nil {
		k.cancel(cause)
	}
}

// leaveFork leaves the branches of the current step of f. It reports false while
// one of them has to end first.
func (r *Run) leaveFork(s *Fiber, f *Frame) bool {
	k := f.fork
	b := k.first()
	if b != nil && k.shields() && r.awaitShielded(s, f) {
		return false
	}
	k.bequeath(s.trace)
	if b != nil {
		if b.mode != dropping || b.stop != nil {
			r.supersede(b, nil, s.err)
			b.signal = s.signal
			if k.Shields { // otherwise what it has begun is frozen already
				r.freeze(b, s.err)
				k.endContext(s.err)
			}
		}
		b.frozen = false // its turn has come
		r.next = b
		return false
	}
	if k.armed {
		k.armed = false
		f.resources.disarm()
	}
	if f.bits&final == 0 { // otherwise its op takes the results first
		f.Join(k)
	}
	f.fork = nil
	return true
}

// awaitShielded waits for the branches of the shielded fork of f, for the grace.
// It reports false if that can't be waited for.
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
	r.complain([]error{err}) // last: it may end the goroutine
}

// outlived is the error of a shielded step that did not end in time.
func (f *Frame) outlived() error {
	return f.located(fault.Timeout, "step "+f.label()+" did not end within the grace, and was cancelled", nil)
}

// A Finalizer is an op whose step may have to take further steps before it is left
// without success: see Frame.Finally.
type Finalizer interface {
	// Finalize is called when everything below the step has been left, before its
	// hook and its handler. It reports whether it has started such steps, with
	// Fork of a shielded one; then it is called again when they have ended.
	Finalize(f *Frame, how Leaving) bool
}

// Leaving is how a step is left that did not succeed.
type Leaving struct {
	Err       error
	Cancelled bool // no handler is asked: it is left from outside, or by a signal
}

// Finally says that the op of the current step, a [Finalizer], has to be called
// before the step is left without success.
func (f *Frame) Finally() { f.mark(final) }

// Unfinally takes Finally back.
func (f *Frame) Unfinally() { f.unmark(final) }

// finalize takes the steps that the current step of f needs before it is left. It
// reports false while there are any.
func (r *Run) finalize(s *Fiber, f *Frame) bool {
	how := Leaving{Err: s.err, Cancelled: s.mode == dropping || s.target != nil}
	if !how.Cancelled {
		how.Err = s.trace.joined(s.err)
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

// bequeath gives p, which holds the shielded fork that s is a branch of and is being
// left, what s has failed with.
func (s *Fiber) bequeath(p *Fiber, err error) {
	err = s.trace.joined(err)
	p.trace.also(err)
	p.trace.defects = append(p.trace.defects, s.trace.defects...)
	if s.fork.final { // it went wrong while the step was left
		p.trace.defects = append(p.trace.defects, err)
	}
}

// Outwards visits the levels around f, across forks, until visit reports false.
func (f *Frame) Outwards(visit func(*Frame) bool) {
	for s := f.fiber; ; s = s.parent {
		for f = f.parent; f != nil; f = f.parent {
			if !visit(f) {
				return
			}
		}
		if s.parent == nil {
			return
		}
		if f = s.parent.top; !visit(f) {
			return
		}
	}
}

// flow returns the fiber that the guards take s for: the branch of a shield is no
// flow of its own, because the flow that holds it does nothing else.
func (s *Fiber) flow() *Fiber {
	for s.fork != nil && s.fork.Shields && s.parent != nil {
		s = s.parent
	}
	return s
}
