package laws_test

import "slices"

// acquire draws the acquire of a bracket or the step of a saga. It has no goroutine, because the goroutine's context
// ends when the step is to be left, which the model doesn't know.
func (g *generator) acquire(depth int) *node {
	g.gets++
	defer func() { g.gets-- }()
	return g.stage(depth + 1)
}

// back draws the steps that undo. They run once for each time the step was done, always at one place of the plan, as
// attempts of a retry do.
func (g *generator) back(depth int) *node {
	g.tried++
	defer func() { g.tried-- }()
	return g.stage(depth + 1)
}

// race draws branches, some of which decide the race.
func (g *generator) race(n *node, depth int) {
	n.flav = g.n("race", raceFirst, raceHedge)
	for range g.n("kids", 1, 4) {
		n.kids = append(n.kids, g.stage(depth+1))
	}
	switch n.flav {
	case raceSome:
		n.n = g.n("winners", 1, len(n.kids))
	case raceHedge:
		n.limit = g.duration("delay")
	}
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

// tasks draws a group of tasks. Its steps run several times, each time at another place.
func (g *generator) tasks(n *node, depth int) {
	n.flav, n.label = g.n("tasks", tasksAll, tasksFirst), g.n("group", 0, 1)
	n.n, n.bound = g.n("elements", 0, 3), g.n("bound", 1, 3)
	g.tasked++
	n.kids = []*node{g.stage(depth + 1)}
	g.tasked--
}
