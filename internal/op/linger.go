package op

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// linger is a step that runs a stage as a run of its own, which may outlive the step for a while.
type linger[In, Out any] struct {
	frame.Leaf
	grace time.Duration
	stage *plan.Stage[In, Out]
	in    plan.Cell[In]
	out   plan.Cell[Out]
	slot  plan.Cell[Wait[Out]]
}

func (o *linger[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	in, err := o.stage.Root(*o.in.At(f))
	if err != nil {
		return f.Fail(err)
	}
	x := &part[Out]{slot: o.slot.At(f)}
	if err = x.Begin(f, in, o.grace, x); err != nil {
		return f.Fail(err)
	}
	x.gen = x.slot.Hire(f, x.leave, -1)
	return frame.Waiting
}

func (o *linger[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	return o.slot.At(f).Take(f, o.out.At(f))
}

type part[Out any] struct {
	frame.Linger
	slot *Wait[Out] // of the step; not used once the step was left
	gen  uint64
}

// leave cancels the part, and lets the step that waits be left at once.
func (x *part[Out]) leave(cause error) {
	x.Leave(cause, sagaAround(x.Within()) != nil)
	x.slot.Finish(x.gen)
}

// Ended implements frame.Owner.
func (x *part[Out]) Ended(r *frame.Run) {
	var out Out
	err := r.Result()
	if err == nil {
		out = plan.Outcome[Out](r)
	}
	host, waits := x.Join(r)
	if !waits {
		return
	}
	if err == nil {
		x.slot.Succeed(x.gen, out)
	} else {
		x.slot.Fail(x.gen, frame.Within(err, true))
	}
	x.slot.Finish(x.gen)
	host.Turn() // now, so that the step goes on at the moment when the part ends (O7)
}

// Linger runs s as a run of its own on the same loop. The step can be left at once. The run around the step then waits,
// at its end, until s has been left too or the grace is over.
func Linger[In, Out any](grace time.Duration, s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("linger", func(e *plan.Emitter, n *plan.Node) {
		o := &linger[In, Out]{grace: grace, stage: s, in: plan.Input[In](e), slot: plan.State[Wait[Out]](e)}
		o.out = plan.Output[Out](e)
		e.Apart(s.Node(), plan.Body, func(e *plan.Emitter, body plan.Held) { e.Op(n, o, body) })
	}, s.Node())
	n.Tell(func() []plan.Parameter { return []plan.Parameter{plan.Set("grace", grace)} })
	if grace <= 0 {
		n.Reject("Linger: the grace must be positive, got " + grace.String())
	}
	return plan.NewStage[In, Out](n)
}
