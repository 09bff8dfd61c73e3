package draw

import "slices"

// level is a row of branches of a flow.Graph. A branch takes results only of branches in levels above its own.
type level struct {
	cells []cell
	h     int
}

// cell is a place in a level for a branch or a lane. Through a lane, lines lead from a branch above to levels below.
type cell struct {
	branch int // index of the branch; for a lane, of the branch that its lines come from, or input
	lane   bool
	x, w   int // x is the distance from the axis to the left side
}

// spot identifies a place where the line of a branch passes a level.
type spot struct{ branch, level int }

const (
	input      = -1
	laneWidth  = 8
	betweenRow = 40 // between levels
	mostLanes  = 8  // greatest average number of lanes of a branch: without a bound the picture could grow with the square of the plan
)

// sources returns the branches that edge list i of a flow.Graph names, and input for the input of the graph, each once. If
// the list names nothing it returns input alone. It leaves out edges that lead nowhere, or to a branch that isn't before
// branch i.
func (b *block) sources(i int) (from []int) {
	if i >= len(b.tree.Edges) {
		return []int{input}
	}
	seen := make(map[int]bool, len(b.tree.Edges[i]))
	for _, s := range b.tree.Edges[i] {
		if s >= input && s < min(i, len(b.items)) && !seen[s] {
			from, seen[s] = append(from, s), true
		}
	}
	if from == nil {
		return []int{input}
	}
	return from
}

// last returns the index of the edge list of the result.
func (b *block) last() int { return max(len(b.tree.Edges)-1, len(b.items)) }

// measureLayers puts each branch into a level below the branches whose results it takes, and measures the levels.
func measureLayers(blocks []block, b *block) {
	n := len(b.items)
	b.depth = make([]int, n+1)
	until := make([]int, n+1) // the last level that takes the result of each branch; the last entry is for the input
	for i := range n + 1 {
		list := i
		if i == n {
			list = b.last()
			for s := range n {
				b.depth[n] = max(b.depth[n], b.depth[s]+1)
			}
		}
		for _, s := range b.sources(list) {
			b.depth[i] = max(b.depth[i], b.depthOf(s)+1)
		}
		for _, s := range b.sources(list) {
			at := (s + n + 1) % (n + 1)
			until[at] = max(until[at], b.depth[i])
		}
	}
	b.levels = make([]level, b.depth[n]-1)
	for i, at := range b.items {
		l := &b.levels[b.depth[i]-1]
		l.cells = append(l.cells, cell{branch: i, w: blocks[at].w})
		l.h = max(l.h, blocks[at].h)
	}
	b.addLanes(until)
	b.spots = make(map[spot]int, n)
	for i := range b.levels {
		b.arrange(blocks, i)
	}
	half, height := 0, betweenRow
	for _, l := range b.levels {
		height += l.h + betweenRow
		for _, c := range l.cells {
			half = max(half, -c.x, c.x+c.w)
		}
	}
	b.w, b.h, b.exit, b.axis = 2*half, height, height, half
}

// depthOf returns the level of a branch, from 1; 0 for the input.
func (b *block) depthOf(branch int) int {
	if branch == input {
		return 0
	}
	return b.depth[branch]
}

// addLanes adds lanes for the lines of each branch, and of the input, to the levels that the lines pass, unless there would
// be too many lanes.
func (b *block) addLanes(until []int) {
	n, lanes := len(b.items), 0
	for s := input; s < n; s++ {
		lanes += max(0, until[(s+n+1)%(n+1)]-b.depthOf(s)-1)
	}
	if lanes > mostLanes*(n+1) {
		return
	}
	for s := input; s < n; s++ {
		for l := b.depthOf(s) + 1; l < until[(s+n+1)%(n+1)]; l++ {
			b.levels[l-1].cells = append(b.levels[l-1].cells, cell{branch: s, lane: true, w: laneWidth})
		}
	}
}

// arrange places the cells of a level side by side. A cell whose lines come from further left, on average, is placed further
// left.
func (b *block) arrange(blocks []block, at int) {
	l := &b.levels[at]
	wanted := make(map[cell]int, len(l.cells))
	for _, c := range l.cells {
		from := []int{c.branch}
		if !c.lane {
			from = b.sources(c.branch)
		}
		sum := 0
		for _, s := range from {
			sum += b.spots[spot{s, b.above(s, at)}]
		}
		wanted[c] = sum / len(from)
	}
	slices.SortStableFunc(l.cells, func(a, c cell) int { return wanted[a] - wanted[c] })
	x := beside / 2
	for _, c := range l.cells {
		x -= (beside + c.w) / 2
	}
	for i := range l.cells {
		c := &l.cells[i]
		c.x = x
		x += c.w + beside
		middle := c.w / 2
		if !c.lane {
			middle = blocks[b.items[c.branch]].axis
		}
		b.spots[spot{c.branch, at}] = c.x + middle
	}
}

// above returns the index of the nearest level above level i that has the branch or a lane of the branch. For the input,
// which is above all levels, it may return -1.
func (b *block) above(branch, i int) int {
	if _, passes := b.spots[spot{branch, i - 1}]; passes {
		return i - 1
	}
	return b.depthOf(branch) - 1
}

// placeLayers places the branches of a flow.Graph, and draws a line for each edge.
func (p *picture) placeLayers(b *block) {
	axis, y := b.x+b.axis, b.y+betweenRow
	start, stop := b.enter(), b.leave()
	bottoms := make([]int, len(b.levels)+1) // the lower ends of the input and of each level
	bottoms[0] = b.y
	for i, l := range b.levels {
		for _, c := range l.cells {
			if !c.lane {
				branch := &p.blocks[b.items[c.branch]]
				branch.x, branch.y = axis+c.x, y
			}
		}
		bottoms[i+1] = y + l.h
		y += l.h + betweenRow
	}
	// from returns the first points of a line that leads from a branch, or from the input, to level i. The line begins at
	// a lane of the branch or input in a level between. If there is none, it begins at the branch, or at start.
	from := func(branch, i int) []point {
		at := b.above(branch, i)
		x := axis + b.spots[spot{branch, at}]
		switch own := b.depthOf(branch) - 1; {
		case at < 0:
			return []point{start}
		case at == own:
			return []point{p.blocks[b.items[branch]].leave(), {x, bottoms[at+1]}}
		default:
			return []point{{x, bottoms[at+1]}}
		}
	}
	for i, l := range b.levels {
		for _, c := range l.cells {
			if c.lane {
				x := axis + c.x + c.w/2
				p.wires = append(p.wires, wire{points: append(from(c.branch, i), point{x, bottoms[i+1] - l.h}, point{x, bottoms[i+1]}), curved: true})
				continue
			}
			enter := p.blocks[b.items[c.branch]].enter()
			for _, s := range b.sources(c.branch) {
				p.wires = append(p.wires, wire{points: append(from(s, i), enter), curved: true, arrow: true})
			}
		}
	}
	for _, s := range b.sources(b.last()) {
		p.wires = append(p.wires, wire{points: append(from(s, len(b.levels)), stop), curved: true})
	}
}
