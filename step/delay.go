package step

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/seam"
	"github.com/futoin-go/asyncsteps/tool"
)

// Delay makes a step that passes its input on when d has passed, by the clock
// of the run's loop, which is virtual in tooltest. No goroutine waits.
//
// A timeout, a cancel or the error of a sibling ends it early and takes the
// timer back. A d of zero lets others on the loop go first; with a d below zero
// the plan can't be run. It allocates nothing. FTN12 §1.3.
func Delay[T any](d time.Duration) Step[T, T] {
	s := op("delay", false, func(in, out seam.Cell[T], e *seam.Emitter) frame.Op {
		return &delayOp[T]{in: in, out: out, d: d, pause: seam.State[pause](e)}
	})
	if d < 0 {
		s.Stage().Node().Reject("step.Delay: the delay " + d.String() + " is below zero")
	}
	return s
}

// DelayBy is [Delay] for a time that depends on the value, or on anything else that by
// can know: the loop's clock and random numbers are as.Loop().Host(), the number of the
// attempt is as.Attempt(). by runs on the loop of the run and must not block; a time
// below zero is zero. If by panics the step fails with InternalError. A nil by is
// reported as that of [Map]. FTN12 §1.3.
func DelayBy[T any](by func(as Scope, in T) time.Duration) Step[T, T] {
	s := op("delayBy", by == nil, func(in, out seam.Cell[T], e *seam.Emitter) frame.Op {
		return &delayOp[T]{in: in, out: out, by: by, pause: seam.State[pause](e)}
	})
	s.Stage().Node().Relabel("delay", "step.DelayBy: the function is nil")
	return s
}

type delayOp[T any] struct {
	frame.Leaf
	in, out seam.Cell[T]
	d       time.Duration
	by      func(Scope, T) time.Duration // gives the time; nil if that is d
	pause   seam.Cell[pause]
}

// pause is what a Delay remembers while it lasts.
type pause struct {
	slot  frame.Wait
	gen   uint64 // of the wait
	loop  tool.Tool
	timer tool.Handle
	fire  func() // end and cancel, bound once
	stop  func()
}

// Clear keeps the functions, which refer to nothing but the pause itself.
func (p *pause) Clear() { p.loop = nil }

func (o *delayOp[T]) Exec(f *frame.Frame) frame.Verdict {
	p := o.pause.At(f)
	if p.fire == nil {
		p.fire, p.stop = p.end, p.cancel
	}
	d := o.d
	if o.by != nil {
		d = max(0, o.by(Scope{f.Ref()}, *o.in.At(f)))
	}
	p.loop = f.Run().Tool()
	timer, err := p.loop.Deferred(d, p.fire)
	if err != nil {
		p.loop = nil
		return f.Fail(err)
	}
	p.timer = timer
	f.SetCancel(p.stop)
	p.gen = p.slot.Open(f)
	return frame.Waiting
}

func (p *pause) end() {
	if p.slot.Claim(p.gen) {
		p.slot.Complete(nil)
	}
}

func (p *pause) cancel() {
	if p.loop != nil { // the timer hasn't fired
		p.loop.Cancel(p.timer)
		p.loop = nil
	}
}

func (o *delayOp[T]) Resume(f *frame.Frame) frame.Verdict {
	p := o.pause.At(f)
	p.loop = nil
	_ = p.slot.Close(f) // end gives no error
	*o.out.At(f) = *o.in.At(f)
	return frame.Done
}
