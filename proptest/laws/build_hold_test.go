package laws_test

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func (b *builder) carry(n *node) stage {
	kid := b.stage(n.kids[0])
	if n.flav == carryTap {
		return flow.Then(flow.Tap(kid), step.Map(func(in int) int { return in }))
	}
	return flow.Then(flow.Carry(kid), step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
}

func (b *builder) race(n *node) stage {
	kids := b.stages(n.kids)
	switch n.flav {
	case raceEnd:
		return flow.Race(kids...)
	case raceSome:
		return flow.Then(flow.Some(n.n, kids...), step.Map(weighed))
	case raceHedge:
		return flow.Hedge(n.limit, kids...)
	default:
		return flow.First(kids...)
	}
}

// weighed returns a sum that depends on the order of the values.
func weighed(values []int) int {
	total := 0
	for i, v := range values {
		total += (i + 1) * v
	}
	return total
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

func (b *builder) graph(n *node) stage {
	kids := b.stages(n.kids)
	return flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
		refs := make([]flow.Ref[int], len(kids))
		ref := func(i int) flow.Ref[int] {
			if i < 0 {
				return in
			}
			return refs[i]
		}
		for i, from := range n.edges {
			switch len(from) {
			case 1:
				refs[i] = flow.Node(ref(from[0]), kids[i])
			case 2:
				both := flow.Then(step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }), kids[i])
				refs[i] = flow.Node(flow.Join2(ref(from[0]), ref(from[1])), both)
			default:
				all := flow.Then(step.Map(func(p flow.Triple[int, int, int]) int { return p.A + p.B + p.C }), kids[i])
				refs[i] = flow.Node(flow.Join3(ref(from[0]), ref(from[1]), ref(from[2])), all)
			}
		}
		return refs[len(refs)-1]
	})
}

func (b *builder) tasks(n *node) stage {
	group, kid := b.groups[n.label], b.stage(n.kids[0])
	all := step.Map(func(in int) []int { return elements(in, n.n) })
	switch n.flav {
	case tasksFirst:
		return flow.Then(all, group.First(n.bound, kid))
	case tasksCompleted:
		return flow.Then(flow.Then(all, group.Completed(n.bound, kid)), step.Map(tells(n)))
	default:
		return flow.Then(flow.Then(all, group.All(n.bound, kid)), step.Map(weighed))
	}
}

// addTask adds a task, the first times that it is asked to.
func (b *builder) addTask(body *body, as step.Scope, in int) {
	if b.w.counts[body.id]++; b.w.counts[body.id] <= body.n {
		b.groups[body.label].Go(as, in)
	}
}
