package draw_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/flow/draw"
)

// drawnTree returns a Tree that holds the given number of parts, with roles also where no plan has them.
func drawnTree(r *rand.Rand, parts int) *flow.Tree {
	root := &flow.Tree{Role: flow.RolePlan, In: "int", Out: "string"}
	all := []*flow.Tree{root}
	roles := []flow.Role{flow.RoleStep, flow.RoleStep, flow.RoleStep, flow.RoleBranch, flow.RoleBranch, flow.RoleHandler, flow.RoleHook, flow.RoleUndo}
	kinds := []string{"func", "par", "hedge", "timeout", "retry", "saga", "await"}
	for range parts {
		holder := all[max(0, len(all)-1-r.IntN(12))]
		t := &flow.Tree{
			Kind: kinds[r.IntN(len(kinds))], Name: strings.Repeat("n", r.IntN(60)), Role: roles[r.IntN(len(roles))], Loop: r.IntN(8) == 0,
			Path: fmt.Sprint(len(all), []string{"", ".N"}[r.IntN(2)]),
		}
		for i := range r.IntN(4) {
			t.Parameters = append(t.Parameters, flow.Parameter{Name: "limit", Value: strings.Repeat("9", 1+7*i)})
		}
		holder.Holds = append(holder.Holds, t)
		all = append(all, t)
	}
	for _, t := range all {
		if r.IntN(4) > 0 {
			continue
		}
		for i := range len(t.Holds) + 1 {
			var from []int
			for range r.IntN(3) {
				from = append(from, r.IntN(i+2)-1)
			}
			t.Edges = append(t.Edges, from)
		}
	}
	return root
}

// contains reports whether all of b is inside of a, below the text at its top.
func contains(a, b draw.Box) bool {
	return a.X <= b.X && a.Y+a.Head <= b.Y && b.X+b.W <= a.X+a.W && b.Y+b.H <= a.Y+a.H
}

func disjoint(a, b draw.Box) bool {
	return a.X+a.W <= b.X || b.X+b.W <= a.X || a.Y+a.H <= b.Y || b.Y+b.H <= a.Y
}

// Boxes are in the picture and in the boxes around them, and don't overlap otherwise. Lines begin and end at boxes
// or joins, or where they meet others, and straight ones don't cross leaves or the text at the top of frames.
func TestLayout(t *testing.T) {
	wires := 0
	for n := range 1000 {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		tree := drawnTree(r, 1+r.IntN(60))
		sketch := draw.Layout(tree)
		boxes, lines := sketch.Boxes, sketch.Wires
		wires += len(lines)
		around := func(i, j int) bool { // j is around i
			for ; i >= 0; i = boxes[i].Holder {
				if i == j {
					return true
				}
			}
			return false
		}
		for i, b := range boxes {
			if b.X < 0 || b.Y < 0 || b.X+b.W > sketch.W || b.Y+b.H > sketch.H {
				t.Fatalf("plan %d: box %d %v isn't in the picture, %d by %d", n, i, b, sketch.W, sketch.H)
			}
			if b.Holder >= 0 && !contains(boxes[b.Holder], b) {
				t.Fatalf("plan %d: box %d %v isn't in %v", n, i, b, boxes[b.Holder])
			}
			for j := range i {
				if !around(i, j) && !disjoint(b, boxes[j]) {
					t.Fatalf("plan %d: box %d %v is on box %d %v", n, i, b, j, boxes[j])
				}
			}
		}
		met := make(map[[2]int]int) // number of joins and ends of lines at each point
		for _, l := range lines {
			met[l.Points[0]]++
			met[l.Points[len(l.Points)-1]]++
		}
		for _, j := range sketch.Joins {
			met[j]++
		}
		for i, l := range lines {
			for _, end := range [][2]int{l.Points[0], l.Points[len(l.Points)-1]} {
				if met[end] < 2 && !atBox(boxes, end) {
					t.Fatalf("plan %d: line %d %v ends at nothing at %v", n, i, l, end)
				}
			}
			for k := range l.Points[1:] {
				if from, to := l.Points[k], l.Points[k+1]; !l.Curved {
					for j, b := range boxes {
						if crosses(b, from, to) {
							t.Fatalf("plan %d: line %d %v crosses box %d %v", n, i, l, j, b)
						}
					}
				}
			}
		}
	}
	if wires < 10_000 {
		t.Errorf("%d lines are too few to be a test", wires)
	}
}

// atBox reports whether a point is at a side of a box, or at the lower side of the text at its top.
func atBox(boxes []draw.Box, p [2]int) bool {
	for _, b := range boxes {
		within := b.X <= p[0] && p[0] <= b.X+b.W && b.Y <= p[1] && p[1] <= b.Y+b.H
		side := p[0] == b.X || p[0] == b.X+b.W || p[1] == b.Y || p[1] == b.Y+b.H || p[1] == b.Y+b.Head
		if within && side {
			return true
		}
	}
	return false
}

// crosses reports whether a straight line goes through a leaf, or through the text at the top of a frame.
func crosses(b draw.Box, from, to [2]int) bool {
	bottom := b.Y + b.H
	if !b.Leaf {
		bottom = b.Y + b.Head
	}
	return min(from[0], to[0]) < b.X+b.W && max(from[0], to[0]) > b.X && min(from[1], to[1]) < bottom && max(from[1], to[1]) > b.Y
}

// A step begins beside the undo of the one above if there is room, or can be made, and below that otherwise.
func TestLayoutBesideAnswers(t *testing.T) {
	for name, beside := range map[string]bool{"narrow": true, "somewhat wider": true, strings.Repeat("wide ", 8): false} {
		step := func(role flow.Role, name string, holds ...*flow.Tree) *flow.Tree {
			return &flow.Tree{Kind: "map", Name: name, Role: role, Holds: holds}
		}
		undo := step(flow.RoleUndo, "", step(flow.RoleStep, "a"), step(flow.RoleStep, "b"), step(flow.RoleStep, "c"))
		boxes := draw.Layout(step(flow.RolePlan, "", step(flow.RoleStep, "book", undo), step(flow.RoleStep, name), step(flow.RoleStep, "last"))).Boxes
		// The boxes are the input, book, its undo with three steps, then the two other steps.
		bottom, next, last := boxes[2].Y+boxes[2].H, boxes[6], boxes[7]
		if got := next.Y < bottom; got != beside {
			t.Errorf("%s begins at %d, and the undo ends at %d", name, next.Y, bottom)
		}
		if last.Y < next.Y+next.H {
			t.Errorf("%s ends at %d, and the step below begins at %d", name, next.Y+next.H, last.Y)
		}
	}
}

// Branches that need several rows are in rows of equal length, and lines lead to the first row and from the last one
// without a detour.
func TestLayoutOfRows(t *testing.T) {
	fork := &flow.Tree{Kind: "par", Role: flow.RoleStep}
	for range 12 {
		step := &flow.Tree{Kind: "map", Name: "a step of a branch", Role: flow.RoleStep}
		fork.Holds = append(fork.Holds, &flow.Tree{Role: flow.RoleBranch, Holds: []*flow.Tree{step}})
	}
	sketch := draw.Layout(&flow.Tree{Role: flow.RolePlan, Holds: []*flow.Tree{fork}})
	count := make(map[int]int) // of steps at each height
	first, last := sketch.H, 0
	for _, b := range sketch.Boxes {
		if b.Holder == 1 { // the fork
			count[b.Y]++
			first, last = min(first, b.Y), max(last, b.Y)
		}
	}
	if len(count) != 3 || count[first] != 4 || count[last] != 4 {
		t.Fatalf("branches at each height: %v", count)
	}
	points := make(map[string]int)
	for _, l := range sketch.Wires {
		switch l.Points[len(l.Points)-1][1] {
		case first:
			points["to the first row"] += len(l.Points)
		case last:
			points["to the last row"] += len(l.Points)
		}
		for _, b := range sketch.Boxes {
			if l.Points[0][1] == b.Y+b.H && b.Y == last && b.X < l.Points[0][0] && l.Points[0][0] < b.X+b.W {
				points["from the last row"] += len(l.Points)
			}
		}
	}
	if want := map[string]int{"to the first row": 4 * 4, "to the last row": 4 * 6, "from the last row": 4 * 4}; !maps.Equal(points, want) {
		t.Errorf("points of lines: %v, want %v", points, want)
	}
}

// A node of a flow.Graph is below the nodes whose results it takes.
func TestLayoutOfGraph(t *testing.T) {
	boxes := draw.Layout(plans()["graph"]).Boxes
	below := func(a, b int) bool { return boxes[a].Y >= boxes[b].Y+boxes[b].H }
	// The boxes are the input, the graph, then the steps of its nodes: top, the two of left, right, bottom.
	top, left, leftLast, right, bottom := 2, 3, 4, 5, 6
	if !below(left, top) || !below(right, top) || !below(leftLast, left) || !below(bottom, leftLast) || !below(bottom, right) {
		t.Errorf("%+v", boxes)
	}
	if disjoint := boxes[left].X+boxes[left].W <= boxes[right].X || boxes[right].X+boxes[right].W <= boxes[left].X; !disjoint {
		t.Errorf("branches aren't side by side: %+v", boxes)
	}
}
