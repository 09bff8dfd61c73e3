package seam

import (
	"slices"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Then is b after a, on the same level (O2).
func Then[A, B, C any](a *Stage[A, B], b *Stage[B, C]) *Stage[A, C] {
	first, second := a.node, b.node
	return NewStage[A, C](NewNode[A, C]("then", func(e *Emitter) {
		e.Emit(second)
		e.Emit(first)
	}, first, second).sequence(none))
}

// Chain is every stage after the one before it, on the same level. Without
// stages it is a step that passes its input on.
func Chain[T any](stages []*Stage[T, T]) *Stage[T, T] {
	kids := make([]*Node, len(stages))
	for i, s := range stages {
		kids[i] = s.node
	}
	var n *Node
	n = NewNode[T, T]("chain", func(e *Emitter) {
		if len(kids) == 0 {
			e.Op(n, &pass[T]{in: Input[T](e), out: Output[T](e)})
		}
		for _, kid := range slices.Backward(kids) {
			e.Emit(kid)
		}
	}, kids...)
	if len(kids) > 0 {
		n.sequence(none)
	}
	return NewStage[T, T](n)
}

// pass is a step that does nothing.
type pass[T any] struct {
	frame.Leaf
	in, out Cell[T]
}

func (o *pass[T]) Exec(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = *o.in.At(f)
	return frame.Done
}
