package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Terms say when a race is decided.
type Terms = frame.Terms

// Race is Fork for a step that some of its branches may decide, see [Terms]. Once they have
// decided it, the other branches are left, and the step ends.
func Race[In, Out any](kind string, terms Terms, nodes []*plan.Node, join func(Results) Out) *plan.Stage[In, Out] {
	return race(kind, terms, nodes, join, func(_ *plan.Emitter, o *fork[In, Out]) frame.Op { return o })
}

// race is Race with another op, which wrap makes from the op of the fork.
func race[In, Out any](kind string, terms Terms, nodes []*plan.Node, join func(Results) Out, wrap func(*plan.Emitter, *fork[In, Out]) frame.Op) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out](kind, func(e *plan.Emitter, n *plan.Node) {
		o := &fork[In, Out]{terms: terms, levels: make([]*frame.Level, len(nodes)), join: join, state: plan.State[branches](e)}
		made := wrap(e, o)
		holds := make([]plan.Held, len(nodes))
		e.Then(func(e *plan.Emitter) {
			o.in = plan.Input[In](e)
			o.out = plan.Output[Out](e)
			e.Op(n, made, holds...)
		})
		for i, branch := range nodes {
			plan.Level[In](e, branch, func(_ *plan.Emitter, level plan.Emitted) {
				o.levels[i], holds[i] = level.Level, plan.Held{Role: plan.Branch, Node: branch, Steps: level.Steps}
			})
		}
	}, nodes...)
	return plan.NewStage[In, Out](n)
}

// Winners implements frame.Racer.
func (o *fork[In, Out]) Winners(f *frame.Frame) []int {
	k := &o.state.At(f).Fork
	if o.terms.Wins == 0 || !k.Decided() {
		return nil
	}
	won := make([]int, o.terms.Wins)
	for i := range won {
		won[i] = k.Won(i)
	}
	return won
}
