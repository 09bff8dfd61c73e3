package op

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/tool"
)

// Delay returns a step that passes its input on when d has passed.
func Delay[T any](d time.Duration) *plan.Stage[T, T] {
	s := One("delay", nil, func(in, out plan.Cell[T], e *plan.Emitter) frame.Op {
		return &delay[T]{in: in, out: out, d: d, pause: plan.State[pause](e)}
	})
	s.Node().Tell(func() []plan.Parameter { return []plan.Parameter{plan.Set("delay", d)} })
	if d < 0 {
		s.Node().Reject("step.Delay: the delay " + d.String() + " is below zero")
	}
	return s
}

// DelayBy is Delay for the time that the function by returns. A time below zero counts as zero.
func DelayBy[T any](by func(*frame.Frame, T) time.Duration) *plan.Stage[T, T] {
	s := One("delayBy", by, func(in, out plan.Cell[T], e *plan.Emitter) frame.Op {
		return &delay[T]{in: in, out: out, by: by, pause: plan.State[pause](e)}
	})
	s.Node().Relabel("delay", "step.DelayBy: the function is nil")
	return s
}

type delay[T any] struct {
	frame.Leaf
	in, out plan.Cell[T]
	d       time.Duration
	by      func(*frame.Frame, T) time.Duration // returns the time to wait; nil if that is d
	pause   plan.Cell[pause]
}

type pause struct {
	slot  frame.Wait
	gen   uint64 // generation of the wait
	loop  tool.Tool
	timer tool.Handle
	fire  func() // the method end, bound once
	stop  func() // the method cancel, bound once
}

// Clear keeps the bound methods, which refer to nothing but the pause itself.
func (p *pause) Clear() { p.loop = nil }

func (o *delay[T]) Exec(f *frame.Frame) frame.Verdict {
	p := o.pause.At(f)
	if p.fire == nil {
		p.fire, p.stop = p.end, p.cancel
	}
	d := o.d
	if o.by != nil {
		d = max(0, o.by(f, *o.in.At(f)))
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
	if p.loop != nil { // the step still waits
		p.loop.Cancel(p.timer)
		p.loop = nil
	}
}

func (o *delay[T]) Resume(f *frame.Frame) frame.Verdict {
	p := o.pause.At(f)
	p.loop = nil
	_ = p.slot.Close(f) // end completes without an error
	*o.out.At(f) = *o.in.At(f)
	return frame.Done
}
