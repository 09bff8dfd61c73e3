package op

import (
	"slices"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Then runs a, then b, on the same level (O2).
func Then[A, B, C any](a *plan.Stage[A, B], b *plan.Stage[B, C]) *plan.Stage[A, C] {
	first, second := a.Node(), b.Node()
	return plan.NewStage[A, C](plan.NewNode[A, C]("then", inOrder(first, second), first, second).Sequence(0))
}

// inOrder emits the stages so that they run one after another, on the same level.
func inOrder(stages ...*plan.Node) func(*plan.Emitter, *plan.Node) {
	return func(e *plan.Emitter, _ *plan.Node) {
		for _, s := range slices.Backward(stages) {
			e.Emit(s)
		}
	}
}

// Chain runs the stages one after another, on the same level. Without stages it is a
// step that passes its input on.
func Chain[T any](stages []*plan.Stage[T, T]) *plan.Stage[T, T] {
	kids := make([]*plan.Node, len(stages))
	for i, s := range stages {
		kids[i] = s.Node()
	}
	if len(kids) > 0 {
		return plan.NewStage[T, T](plan.NewNode[T, T]("chain", inOrder(kids...), kids...).Sequence(0))
	}
	return plan.NewStage[T, T](plan.NewNode[T, T]("chain", func(e *plan.Emitter, n *plan.Node) {
		e.Op(n, &pass[T]{in: plan.Input[T](e), out: plan.Output[T](e)})
	}))
}

type pass[T any] struct {
	frame.Leaf
	in, out plan.Cell[T]
}

func (o *pass[T]) Exec(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = *o.in.At(f)
	return frame.Done
}
