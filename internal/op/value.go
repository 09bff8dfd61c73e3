package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// value is a step whose result is known when the plan is built.
type value[T any] struct {
	frame.Leaf
	v   T
	out plan.Cell[T]
}

func (o *value[T]) Exec(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = o.v
	return frame.Done
}

// Value succeeds with v, whatever its input is (§1.12).
func Value[In, T any](v T) *plan.Stage[In, T] {
	n := plan.NewNode[In, T]("value", func(e *plan.Emitter, n *plan.Node) {
		e.Op(n, &value[T]{v: v, out: plan.Output[T](e)})
	})
	return plan.NewStage[In, T](n)
}
