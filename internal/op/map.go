package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Map is a step that applies body to its input.
func Map[In, Out any](body func(In) Out) *plan.Stage[In, Out] {
	return One("map", body, func(in plan.Cell[In], out plan.Cell[Out], _ *plan.Emitter) frame.Op {
		return &mapping[In, Out]{in: in, out: out, body: body}
	})
}

// mapping is a step that can't fail, unless its body panics.
type mapping[In, Out any] struct {
	frame.Leaf
	in   plan.Cell[In]
	out  plan.Cell[Out]
	body func(In) Out
}

func (o *mapping[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = o.body(*o.in.At(f))
	return frame.Done
}
