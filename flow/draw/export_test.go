package draw

import "github.com/futoin-go/asyncsteps/flow"

var Folds = folds

// Box is a box of a picture. Holder is the index of the box around it, -1 for none.
type Box struct {
	X, Y, W, H, Head int
	Holder           int
	Leaf             bool
}

type Wire struct {
	Points [][2]int
	Curved bool
}

type Sketch struct {
	W, H  int
	Boxes []Box
	Wires []Wire
	// Joins are points where lines may end: where branches meet, where a fork ends, and in a branch without steps.
	Joins [][2]int
}

func Layout(t *flow.Tree) (s Sketch) {
	p := newPicture(t, nil)
	s.W, s.H = p.blocks[0].w+2*pad, p.blocks[0].h+2*pad
	index := make(map[int]int)           // of the box of a block
	around := make([]int, len(p.blocks)) // the index of the nearest box around a block
	beside := make(map[int]bool)
	for i := range p.blocks {
		b := &p.blocks[i]
		for _, a := range b.answers {
			beside[a] = true
		}
		around[i] = -1
		if b.holder != none {
			around[i] = around[b.holder]
			if at, boxed := index[b.holder]; boxed && !beside[i] {
				around[i] = at
			}
		}
		if b.boxed() {
			index[i] = len(s.Boxes)
			s.Boxes = append(s.Boxes, Box{b.x, b.y, b.boxW, b.boxH, b.head, around[i], b.form != frame})
		}
		if b.form.forks() || b.form == column && len(b.items) == 0 {
			s.Joins = append(s.Joins, [2]int{b.leave().x, b.leave().y})
		}
	}
	for _, w := range p.wires {
		made := Wire{Curved: w.curved}
		for _, at := range w.points {
			made.Points = append(made.Points, [2]int{at.x, at.y})
		}
		s.Wires = append(s.Wires, made)
	}
	for _, j := range p.joins {
		s.Joins = append(s.Joins, [2]int{j.x, j.y})
	}
	return s
}
