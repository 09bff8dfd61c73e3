package op

import (
	"context"
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/tool"
)

type call[In, Out any] struct {
	frame.Leaf
	stage *plan.Stage[In, Out]
	in    plan.Cell[In]
	out   plan.Cell[Out]
	work  *tool.Body // stage as work that a loop may take over
	away  plan.Cell[away[Out]]
}

// away holds the wait for the result if the loop has taken over the call.
type away[Out any] struct{ slot *Wait[Out] }

func (a *away[Out]) Clear() { a.slot = nil }

func (o *call[In, Out]) Body() *tool.Body { return o.work }

func (o *call[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	if f.Info().Name != "" && f.Run().Host().TakesWork() {
		slot := new(Wait[Out])
		o.away.At(f).slot = slot
		if Offer(f, slot, o.work, 0, *o.in.At(f)) {
			return frame.Waiting
		}
		o.away.At(f).slot = nil
	}
	sub, err := o.stage.Prepare(f, *o.in.At(f))
	if err != nil {
		return f.Fail(err)
	}
	return f.Call(sub)
}

func (o *call[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	if a := o.away.At(f); a.slot != nil {
		slot := a.slot
		a.slot = nil
		return slot.Take(f, o.out.At(f))
	}
	return plan.Result(f, o.out.At(f))
}

// planOf describes the plan s as work that a loop may take over.
func planOf[In, Out any](s *plan.Stage[In, Out]) *tool.Body {
	return &tool.Body{
		In: reflect.TypeFor[In](), Out: reflect.TypeFor[Out](),
		Start: func(ctx context.Context, loop tool.Tool, in reflect.Value, end func(reflect.Value, error)) func(error) bool {
			x := new(plan.Future[Out])
			plan.Start(ctx, loop, s, Unreflect[In](in), x)
			x.Then(func(out Out, err error) { end(Reflect(out), err) })
			return x.Cancel
		},
	}
}

// Call runs s as sub-steps. s is compiled once, not again for each plan that uses it. A loop that takes work may take
// over a call that has a name.
func Call[In, Out any](s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	work := planOf(s)
	n := plan.NewNode[In, Out]("call", func(e *plan.Emitter, n *plan.Node) {
		in := plan.Input[In](e)
		o := &call[In, Out]{stage: s, in: in, work: work, away: plan.State[away[Out]](e)}
		o.out = plan.Output[Out](e)
		e.Apart(s.Node(), plan.Body, func(e *plan.Emitter, body plan.Held) { e.Op(n, o, body) })
	}, s.Node())
	return plan.NewStage[In, Out](n)
}
