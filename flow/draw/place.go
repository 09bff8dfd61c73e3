package draw

import (
	"slices"

	"github.com/futoin-go/asyncsteps/flow"
)

type picture struct {
	blocks []block
	wires  []wire
	joins  []join
}

// wire is a line from one block to another or to a join, or a part of such a line.
type wire struct {
	style  style
	points []point
	curved bool // the line leaves its first point downwards, and reaches its last point downwards
	arrow  bool // the last point has the head of an arrow
}

type point struct{ x, y int }

type join struct {
	point

	race bool // its branches race
}

// newPicture lays t out, without recursion.
func newPicture(t *flow.Tree, marks []Marks) *picture {
	p := &picture{blocks: newBlocks(t, marks)}
	measure(p.blocks)
	p.blocks[0].x, p.blocks[0].y = pad, pad
	for i := range p.blocks {
		p.place(&p.blocks[i])
	}
	return p
}

// place sets the places of the blocks inside b and adds the lines between them. The place of b is set already.
func (p *picture) place(b *block) {
	switch b.form {
	case whole, column:
		p.stack(b.items, b.x+b.axis, b.y)
	case frame:
		p.placeFrame(b)
	case fork:
		p.placeFork(b)
	case layers:
		p.placeLayers(b)
	case end, leaf:
	}
	p.placeAnswers(b)
}

// stack places blocks below each other, at the distances that stacked has set, with lines between them.
func (p *picture) stack(items []int, axis, y int) {
	for i, at := range items {
		b := &p.blocks[at]
		b.x, b.y = axis-b.axis, y+b.y
		if i > 0 {
			p.wires = append(p.wires, wire{points: []point{p.blocks[items[i-1]].leave(), b.enter()}, arrow: !b.form.forks()})
		}
	}
}

// enter and leave return the points where lines reach and leave a block.
func (b *block) enter() point { return point{b.x + b.axis, b.y} }
func (b *block) leave() point { return point{b.x + b.axis, b.y + b.exit} }

func (p *picture) placeFrame(b *block) {
	_, above, _ := b.margins(p.blocks)
	axis := b.x + b.axis
	p.stack(b.items, axis, b.y+b.head+above)
	if !b.tree.Loop {
		return
	}
	from, to := p.blocks[b.items[len(b.items)-1]].leave(), p.blocks[b.items[0]].enter()
	bottom, left := b.y+b.boxH-pad, b.x+pad
	p.wires = append(p.wires, wire{dashed, []point{from, {axis, bottom}, {left, bottom}, {left, to.y - pad}, {axis, to.y - pad}, to}, false, true})
}

func (p *picture) placeFork(b *block) {
	y := b.y
	if len(b.rows) > 1 {
		y += rail
	}
	for i, r := range b.rows {
		x := b.x + (b.w-p.width(b.items[r.from:r.to]))/2
		before, behind := b.ways(i, y+rail, y+3*rail+r.h)
		for _, at := range b.items[r.from:r.to] {
			branch := &p.blocks[at]
			branch.x, branch.y = x, y+2*rail
			x += branch.w + beside
			in, out := branch.enter(), branch.leave()
			p.wires = append(p.wires,
				wire{points: slices.Concat(before, []point{{in.x, y + rail}, in}), arrow: len(branch.items) > 0 && !p.blocks[branch.items[0]].form.forks()},
				wire{points: slices.Concat([]point{out, {out.x, y + 3*rail + r.h}}, behind)})
		}
		y += r.h + 4*rail
	}
	at := point{b.leave().x, y - rail}
	if len(b.rows) > 1 {
		at.y = b.leave().y - rail/2
	}
	p.joins = append(p.joins, join{at, themeOf(p.blocks[b.holder].tree) == race})
}

// ways returns the points of the line from the upper end of the fork b to a row, and those of the line from the row to the
// lower end of b. above and below are where the row begins and ends. The lines to the first row and from the last row are
// straight. Lines to other rows lead along the left side, and lines from other rows along the right side.
func (b *block) ways(row, above, below int) (before, behind []point) {
	start, stop := b.enter(), b.leave()
	before, behind = []point{start, {start.x, above}}, []point{{stop.x, below}, stop}
	if row > 0 {
		left := b.x + beside/2
		before = []point{start, {start.x, b.y + rail/2}, {left, b.y + rail/2}, {left, above}}
	}
	if row < len(b.rows)-1 {
		right := b.x + b.w - beside/2
		behind = []point{{right, below}, {right, stop.y - rail/2}, {stop.x, stop.y - rail/2}, stop}
	}
	return before, behind
}

func (p *picture) width(items []int) int {
	w := -beside
	for _, at := range items {
		w += beside + p.blocks[at].w
	}
	return w
}

func (p *picture) placeAnswers(b *block) {
	if len(b.answers) == 0 {
		return
	}
	x, y := b.x+b.answersX(), b.y
	for _, at := range b.answers {
		a := &p.blocks[at]
		a.x, a.y = x, y
		if y += a.h + beside; !b.boxed() {
			continue
		}
		from := point{b.x + b.boxW, min(a.y+titleHeight, b.y+b.boxH-pad/2)}
		to := point{x, a.y + titleHeight}
		p.wires = append(p.wires, wire{dotted, []point{from, {x - toAnswer/2, from.y}, {x - toAnswer/2, to.y}, to}, false, true})
	}
}
