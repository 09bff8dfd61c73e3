package laws_test

import (
	"fmt"
	"slices"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func forkKinds() []construct {
	return []construct{
		{
			kind: kPar, name: "par", weight: forkBy(1),
			draw: func(g *generator, n *node, depth int) {
				n.flav = g.pick("typed", 1, 1)
				g.several(n, depth, 0, 4)
			},
			build: (*builder).par, head: plainly("sum of flow.Par"),
			ops:     func(n *node) []*op { return append(apart(n), &op{kind: oQuiet, n: n}) },
			perform: (*fiber).par,
		},
		{
			kind: kEach, name: "each", weight: forkBy(3),
			draw: func(g *generator, n *node, depth int) {
				n.n, n.bound = g.n("elements", 0, 3), g.n("bound", 1, 3)
				g.inside(n, depth)
			},
			build: func(b *builder, n *node) stage {
				return flow.Then(flow.Then(
					step.Map(func(in int) []int { return elements(in, n.n) }),
					flow.ParEach(n.bound, b.inside(n))), step.Map(sum))
			},
			head: func(n *node) string { return fmt.Sprintf("sum of flow.ParEach %d elements, bound %d ", n.n, n.bound) },
			ops: func(n *node) []*op {
				return []*op{{kind: oQuiet, n: n}, {n: n, inner: compile(n.kids[0])}, {kind: oQuiet, n: n}}
			},
			perform: (*fiber).each,
		},
		{
			kind: kRace, name: "race", weight: forkBy(2),
			draw: (*generator).race, build: (*builder).race,
			head: func(n *node) string {
				return []string{"flow.First", "flow.Race", fmt.Sprintf("flow.Some %d of ", n.n), fmt.Sprintf("flow.Hedge %v ", n.limit)}[n.flav]
			},
			ops: func(n *node) []*op {
				if n.flav == raceSome {
					return append(apart(n), &op{kind: oQuiet, n: n})
				}
				return apart(n)
			},
			perform: (*fiber).race,
		},
		{
			kind: kGraph, name: "graph", weight: forkBy(3),
			draw: (*generator).graph, build: (*builder).graph,
			head: func(n *node) string { return fmt.Sprintf("flow.Graph %v ", n.edges) },
			ops:  apart, perform: (*fiber).graph,
		},
		{
			kind: kTasks, name: "tasks", weight: forkBy(2),
			draw: (*generator).tasks, build: (*builder).tasks,
			head: func(n *node) string {
				return fmt.Sprintf("%s.%s %d elements, bound %d ", tasksName(n.label), []string{"All", "Completed", "First"}[n.flav], n.n, n.bound)
			},
			ops: func(n *node) []*op {
				ops := []*op{{kind: oQuiet, n: n}, {n: n, inner: compile(n.kids[0])}}
				if n.flav == tasksFirst {
					return ops
				}
				return append(ops, &op{kind: oQuiet, n: n})
			},
			perform: (*fiber).tasks,
		},
	}
}

// Variants of kRace.
const (
	raceFirst = iota
	raceEnd
	raceSome
	raceHedge
)

// Variants of kTasks.
const (
	tasksAll = iota
	tasksCompleted
	tasksFirst
)

func (b *builder) par(n *node) stage {
	kids := b.stages(n.kids)
	switch {
	case n.flav > 0 && len(kids) == 2:
		return flow.Then(flow.Par2(kids[0], kids[1]), step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
	case n.flav > 0 && len(kids) == 3:
		return flow.Then(flow.Par3(kids[0], kids[1], kids[2]), step.Map(func(p flow.Triple[int, int, int]) int { return p.A + p.B + p.C }))
	default:
		return flow.Then(flow.Par(kids...), step.Map(sum))
	}
}

func (s *fiber) par(f *frame, in int) result {
	for i, ops := range f.op.kids {
		b := s.m.spawn(s, f, s.number(i), func(b *fiber) { b.branch(func() result { return b.level(ops, in) }) })
		f.branches = append(f.branches, b)
	}
	return s.join(f, func() int {
		total := 0
		for _, b := range f.branches {
			total += b.out.value
		}
		return total
	})
}

func (s *fiber) each(f *frame, in int) result {
	n := f.op.n
	next, total := 0, 0
	lane := func(b *fiber) {
		b.branch(func() result {
			for {
				if next == n.n {
					return result{}
				}
				b.where = s.number(next)
				next++
				r := b.level(f.op.inner, in+next-1)
				if r.how != ok {
					return r
				}
				total += r.value
			}
		})
	}
	for range min(n.n, n.bound) {
		f.branches = append(f.branches, s.m.spawn(s, f, s.where, lane))
	}
	return s.join(f, func() int { return total })
}

func (g *generator) race(n *node, depth int) {
	n.flav = g.n("race", raceFirst, raceHedge)
	g.several(n, depth, 1, 4)
	switch n.flav {
	case raceSome:
		n.n = g.n("winners", 1, len(n.kids))
	case raceHedge:
		n.limit = g.duration("delay")
	}
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

// graph draws nodes that take from the input and from the nodes before them. The last node takes from all nodes that no
// other takes from.
func (g *generator) graph(n *node, depth int) {
	used := map[int]bool{}
	last := g.n("nodes", 1, 4) - 1
	for i := range last + 1 {
		var from []int
		for range g.n("takes", 1, 2) {
			if j := g.n("from", -1, i-1); !slices.Contains(from, j) {
				from = append(from, j)
			}
		}
		for j := 0; i == last && j < i; j++ {
			if !used[j] && !slices.Contains(from, j) {
				from = append(from, j)
			}
		}
		if len(from) > 3 { // there is no join of four
			from = slices.DeleteFunc(from, func(j int) bool { return j < 0 })
		}
		for _, j := range from {
			used[j] = true
		}
		n.edges = append(n.edges, from)
		n.kids = append(n.kids, g.stage(depth+1))
	}
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

// tasks draws a group of tasks. Its steps may run several times, each time at another place.
func (g *generator) tasks(n *node, depth int) {
	n.flav, n.label = g.n("tasks", tasksAll, tasksFirst), g.n("group", 0, 1)
	n.n, n.bound = g.n("elements", 0, 3), g.n("bound", 1, 3)
	g.tasked++
	n.kids = []*node{g.stage(depth + 1)}
	g.tasked--
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

// addTask adds a task, but only the first body.n times.
func (b *builder) addTask(body *body, as step.Scope, in int) {
	if b.w.counts[body.id]++; b.w.counts[body.id] <= body.n {
		b.groups[body.label].Go(as, in)
	}
}
