package storm_test

import (
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var firstOf = step.Map(first)

func forkKinds() kinds {
	a := func(p flow.Pair[tok, tok]) tok { return p.A }
	three := step.Map(func(t tok) []tok { return []tok{t, t, t} })
	return kinds{
		{name: "flow.Par", weight: 6, least: 1, most: 4, leaves: true, plan: func(b *builder, n *node, at place) stage {
			return flow.Then(flow.Par(b.all(n, at)...), firstOf)
		}},
		{name: "flow.Par2", least: 2, leaves: true, plan: func(b *builder, n *node, at place) stage {
			return flow.Then(flow.Par2(b.kid(n, 0, at), b.kid(n, 1, at)), step.Map(a))
		}},
		{name: "flow.Par3", least: 3, leaves: true, plan: func(b *builder, n *node, at place) stage {
			return flow.Then(flow.Par3(b.kid(n, 0, at), b.kid(n, 1, at), b.kid(n, 2, at)), step.Map(func(p flow.Triple[tok, tok, tok]) tok { return p.C }))
		}},
		{name: "flow.ParEach", weight: 5, least: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			return flow.Then(three, flow.Then(flow.ParEach(n.tasks(), b.kid(n, 0, at)), firstOf))
		}},
		{name: "flow.ParInto", uses: []string{"flow.To"}, least: 1, most: 3, leaves: true, plan: func(b *builder, n *node, at place) stage {
			var branches []flow.Branch[tok, tok]
			for _, kid := range b.all(n, at) {
				branches = append(branches, flow.To(kid, func(to *tok, t tok) { *to = t }))
			}
			return flow.ParInto(branches...)
		}},
		{name: "flow.First", weight: 4, least: 1, most: 3, leaves: true, plan: func(b *builder, n *node, at place) stage { return flow.First(b.all(n, at)...) }},
		{name: "flow.Race", weight: 3, least: 1, most: 3, leaves: true, plan: func(b *builder, n *node, at place) stage { return flow.Race(b.all(n, at)...) }},
		{name: "flow.Some", weight: 2, least: 2, most: 3, leaves: true, plan: func(b *builder, n *node, at place) stage {
			return flow.Then(flow.Some(1+n.n[1]%2, b.all(n, at)...), firstOf)
		}},
		{name: "flow.Hedge", uses: []string{"flow.HedgeSlow", "flow.NewLatency"}, weight: 2, least: 1, most: 3, leaves: true, plan: func(b *builder, n *node, at place) stage {
			delay := n.some(1)
			if n.n[1]%2 == 0 {
				return flow.Hedge(delay, b.all(n, at)...)
			}
			return flow.HedgeSlow(flow.NewLatency(0.5, delay), b.all(n, at)...)
		}},
		{name: "flow.Linger", weight: 6, least: 1, plan: func(b *builder, n *node, at place) stage {
			at.linger, at.loop, at.label = true, false, nil
			return flow.Linger(never, b.kid(n, 0, at))
		}},
		{name: "flow.Graph", uses: []string{"flow.Node", "flow.Join2", "flow.Join3", "flow.Gather", "flow.Put"}, weight: 2, least: 3, leaves: true, plan: func(b *builder, n *node, at place) stage {
			x, y, z := b.kid(n, 0, at), b.kid(n, 1, at), b.kid(n, 2, at)
			return flow.Graph(func(in flow.Ref[tok]) flow.Ref[tok] {
				one := flow.Node(in, x)
				two := flow.Node(flow.Join2(one, in), flow.Then(step.Map(a), y))
				both := flow.Gather(flow.Put(one, func(to *tok, t tok) { *to = t }), flow.Put(two, func(*tok, tok) {}))
				return flow.Node(flow.Join3(one, two, both), flow.Then(step.Map(func(p flow.Triple[tok, tok, tok]) tok { return p.B }), z))
			})
		}},
		{name: "Tasks.All", uses: []string{"flow.NewTasks", "Tasks.Go"}, weight: 2, least: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			tasks := flow.NewTasks[tok, tok]("storm")
			at.tasks = &tasks
			return flow.Then(three, flow.Then(tasks.All(n.tasks(), b.kid(n, 0, at)), firstOf))
		}},
		{name: "Tasks.Completed", least: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			tasks := flow.NewTasks[tok, tok]("storm")
			at.tasks = &tasks
			return flow.Then(three, flow.Then(tasks.Completed(n.tasks(), b.kid(n, 0, at)), firstOf))
		}},
		{name: "Tasks.First", least: 1, leaves: true, plan: func(b *builder, n *node, at place) stage {
			tasks := flow.NewTasks[tok, tok]("storm")
			at.tasks = &tasks
			return flow.Then(three, tasks.First(n.tasks(), b.kid(n, 0, at)))
		}},
	}
}

// tasks returns how many tasks or elements may be under way at a time; -1 is no bound.
func (n *node) tasks() int { return []int{-1, 1, 2, 3}[n.n[1]%4] }
