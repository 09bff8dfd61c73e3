package laws_test

import (
	"fmt"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// holdKinds are the kinds that give back or undo what they have done.
func holdKinds() []construct {
	return []construct{
		{
			kind: kBracket, name: "bracket", branch: "bracket", weight: innerBy(2),
			draw: func(g *generator, n *node, depth int) {
				n.kids = []*node{g.acquire(depth), g.stage(depth + 1), g.stage(depth + 1)}
			},
			build: (*builder).bracket,
			head:  func(n *node) string { return fmt.Sprintf("flow.Bracket #%d ", n.id) },
			ops:   apart, perform: (*fiber).bracket,
		},
		{
			kind: kSaga, name: "saga", branch: "saga", weight: innerBy(2),
			draw: func(g *generator, n *node, depth int) {
				g.sagas++
				g.inside(n, depth)
				g.sagas--
			},
			build: func(b *builder, n *node) stage { return flow.Saga(b.inside(n)) },
			head:  plainly("flow.Saga"), perform: (*fiber).saga,
		},
		{
			kind: kUndo, name: "undo", branch: "undo",
			weight: func(g *generator, at place) int { return at.inner/3 + or(g.sagas == 0, at.inner) },
			draw:   func(g *generator, n *node, depth int) { n.kids = []*node{g.acquire(depth), g.back(depth)} },
			build:  func(b *builder, n *node) stage { return flow.Undo(b.inside(n), b.stage(n.kids[1])) },
			head:   plainly("flow.Undo"), ops: apart, perform: (*fiber).undo,
		},
	}
}

// acquire draws the acquire of a bracket or what an Undo does. It draws no goroutine, because the model doesn't know that the
// goroutine's context ends when the step is to be left.
func (g *generator) acquire(depth int) *node {
	g.gets++
	defer func() { g.gets-- }()
	return g.stage(depth + 1)
}

// back draws the steps that undo. They may run several times at one place of the plan, as attempts of a retry do.
func (g *generator) back(depth int) *node {
	g.tried++
	defer func() { g.tried-- }()
	return g.stage(depth + 1)
}

func (b *builder) bracket(n *node) stage {
	release := step.Func(func(as step.Scope, e flow.Ended[int, int]) (int, error) {
		saw := event{what: eRelease, id: n.id, value: e.Resource, ok: e.Cancelled}
		if !e.Cancelled {
			saw.code, saw.said = fault.CodeOf(e.Err), said(e.Err)
		}
		b.w.begin(saw.in(as))
		return e.Resource, nil
	})
	return flow.Bracket(b.stage(n.kids[0]), b.stage(n.kids[1]), flow.Then(release, b.stage(n.kids[2])))
}
