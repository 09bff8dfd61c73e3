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
	s := op("delay", false, func(in, out *seam.Cell[T], _ *seam.Emitter) frame.Op {
		o := &delayOp[T]{in: in, out: out, d: d}
		o.fire, o.stop = o.end, o.cancel
		return o
	})
	if d < 0 {
		s.Stage().Node().Reject("step.Delay: the delay " + d.String() + " is below zero")
	}
	return s
}

type delayOp[T any] struct {
	frame.Leaf
	in, out *seam.Cell[T]
	d       time.Duration
	slot    frame.Slot
	gen     uint32 // of the wait
	loop    tool.Tool
	timer   tool.Handle
	fire    func() // end and cancel, bound once
	stop    func()
}

func (o *delayOp[T]) Exec(f *frame.Frame) frame.Verdict {
	o.loop = f.Run().Tool()
	timer, err := o.loop.Deferred(o.d, o.fire)
	if err != nil {
		o.loop = nil
		return f.Fail(err)
	}
	o.timer = timer
	f.SetCancel(o.stop)
	o.gen = o.slot.Open(f, nil)
	return frame.Waiting
}

func (o *delayOp[T]) end() {
	if o.slot.Begin(o.gen) {
		o.slot.Commit(nil)
	}
}

func (o *delayOp[T]) cancel() {
	if o.loop != nil { // the timer hasn't fired
		o.loop.Cancel(o.timer)
		o.loop = nil
	}
}

func (o *delayOp[T]) Resume(f *frame.Frame) frame.Verdict {
	o.loop = nil
	_ = o.slot.Close(f) // end gives no error
	o.out.V = o.in.V
	return frame.Done
}
