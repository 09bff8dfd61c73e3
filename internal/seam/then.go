package seam

import "slices"

// Then is b after a, on the same level (O2).
func Then[A, B, C any](skip int, a *Stage[A, B], b *Stage[B, C]) *Stage[A, C] {
	first, second := a.node, b.node
	return NewStage[A, C](NewNode[A, C]("then", skip+1, func(e *Emitter) {
		e.Emit(second)
		e.Emit(first)
	}, Kid{first, Next}, Kid{second, Next}))
}

// Chain is every stage after the one before it, on the same level. Without
// stages the value passes unchanged.
func Chain[T any](skip int, stages []*Stage[T, T]) *Stage[T, T] {
	kids := make([]Kid, len(stages))
	for i, s := range stages {
		kids[i] = Kid{s.node, Next}
	}
	return NewStage[T, T](NewNode[T, T]("chain", skip+1, func(e *Emitter) {
		for _, kid := range slices.Backward(kids) {
			e.Emit(kid.Node)
		}
	}, kids...))
}
