package flow

import (
	"iter"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Bodies returns an iterator over the steps of s that a loop may take over, in the order of the plan: step.Await,
// AwaitGrace, Act, Do, [AwaitChan] and [Call]. A loop is offered a Call only if the Call has a name. A process that
// executes such work for others, and runs no plans itself, finds the functions here. See tool.WithWork.
//
// The Trees are those of [Describe]. A step that stands at several places of the plan has one Body, which the
// iterator yields with each of its Trees.
//
//spec:ftn12 §2.2.1 await
func Bodies[In, Out any](s step.Step[In, Out]) iter.Seq2[*Tree, *tool.Body] {
	n := op.Given(s, "Bodies: the stage is nil").Node()
	return func(yield func(*Tree, *tool.Body) bool) {
		type place struct {
			tree *Tree
			body *tool.Body
		}
		var places []place
		d := newDescriber()
		d.body = func(t *Tree, b *tool.Body) { places = append(places, place{t, b}) }
		describe(n, d)
		for _, p := range places {
			if !yield(p.tree, p.body) {
				return
			}
		}
	}
}
