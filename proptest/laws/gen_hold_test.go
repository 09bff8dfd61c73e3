package laws_test

import "slices"

// acquire draws what a bracket acquires, or a saga does. Its context ends when it is
// to be left, which a goroutine would hear of and the model doesn't know.
func (g *generator) acquire(depth int) *node {
	g.gets++
	defer func() { g.gets-- }()
	return g.stage(depth + 1)
}

// back draws what undoes that. It runs once for each time it was done, all in one place,
// as the attempts of a retry do.
func (g *generator) back(depth int) *node {
	g.tried++
	defer func() { g.tried-- }()
	return g.stage(depth + 1)
}

// race draws branches of which some decide.
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

// graph draws nodes that take from the input and from those before them. The last one takes
// from all that nobody else has taken from.
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

// tasks draws a group of tasks. Their steps run several times in all, but each in a place
// of its own.
func (g *generator) tasks(n *node, depth int) {
	n.flav, n.label = g.n("tasks", tasksAll, tasksFirst), g.n("group", 0, 1)
	n.n, n.bound = g.n("elements", 0, 3), g.n("bound", 1, 3)
	g.tasked++
	n.kids = []*node{g.stage(depth + 1)}
	g.tasked--
}
