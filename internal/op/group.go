package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// group is a step that holds a level of sub-steps: its input is theirs, and their result is
// its own.
type group[In, Out any] struct {
	frame.Leaf
	body *frame.Level
	in   plan.Cell[In]
	out  plan.Cell[Out]
}

func (o *group[In, Out]) enter(f *frame.Frame) frame.Verdict {
	sub := f.Open(o.body)
	plan.Give(sub, *o.in.At(f))
	return f.Call(sub)
}

func (o *group[In, Out]) Exec(f *frame.Frame) frame.Verdict { return o.enter(f) }

func (o *group[In, Out]) Resume(f *frame.Frame) frame.Verdict { return plan.Result(f, o.out.At(f)) }

// holding schedules the emission of n as a level of its own. After that, then is called with a group that enters the level.
func holding[In, Out any](e *plan.Emitter, n *plan.Node, then func(*plan.Emitter, group[In, Out], plan.Held)) {
	plan.Level[In](e, n, func(e *plan.Emitter, level plan.Emitted) {
		in := plan.Input[In](e)
		then(e, group[In, Out]{body: level.Level, in: in, out: plan.Output[Out](e)}, plan.Held{Role: plan.Body, Node: n, Steps: level.Steps})
	})
}

// single schedules the emission of n as one step. After that, then is called with the step: the only step of n if alone is
// true, otherwise a step of the node holder, which holds the steps of n.
func single[In, Out any](e *plan.Emitter, holder, n *plan.Node, alone bool, then func(*plan.Emitter, plan.Step)) {
	if alone {
		e.Inline(n, then)
		return
	}
	holding(e, n, func(e *plan.Emitter, g group[In, Out], body plan.Held) {
		then(e, e.Step(holder, &g, body))
	})
}
