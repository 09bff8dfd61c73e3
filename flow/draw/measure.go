package draw

import (
	"math"
	"sort"
)

// Room between the parts of a picture, in pixels.
const (
	pad       = 12   // between a box and what it holds, or its text
	gap       = 26   // between blocks one below the other, for the arrow
	beside    = 20   // between blocks side by side
	toAnswer  = 30   // between a box and its answers
	mostAside = 60   // how far answers are moved aside at most
	rail      = 14   // half of the distance between the ends of a fork and its branches
	turn      = 20   // at the left side of the frame of a loop, for the line back to the beginning
	cards     = 6    // how far cards stick out behind a box that stands for any number of equal branches
	icon      = 18   // for the icon of a box
	leastW    = 76   // least width of a box
	rowWidth  = 1120 // branches that need more room than this stand in several rows
)

// row is a row of branches of a fork: those with the indexes in [from, to). h is the greatest height of these.
type row struct{ from, to, h int }

// measure sets the sizes of the blocks. It goes from the last to the first, because each block
// precedes those that it holds.
func measure(blocks []block) {
	for i := len(blocks) - 1; i >= 0; i-- {
		b := &blocks[i]
		switch b.form {
		case end, leaf:
			b.boxW, b.boxH = textSize(b)
			b.axis, b.w = b.boxW/2, b.boxW
			b.h, b.exit = b.boxH, b.boxH
		case frame:
			measureFrame(blocks, b)
		case whole, column:
			b.w, b.h, b.axis, b.exit = stacked(blocks, b.items)
			b.boxW, b.boxH = b.w, b.h
		case fork:
			measureFork(blocks, b)
		case layers:
			measureLayers(blocks, b)
		}
		measureAnswers(blocks, b)
	}
}

func textSize(b *block) (w, h int) {
	for i, l := range b.text {
		lw := l.width()
		if i == 0 && b.form != end {
			lw += icon
		}
		w = max(w, lw)
		h += l.height()
	}
	return max(w+2*pad, leastW), h + pad
}

// stacked returns the size, the axis and the exit of a stack: blocks one below the other, whose axes are in line. It
// sets the y of each block to its distance from the upper end of the stack. A block that is narrow enough begins
// beside the answers of the blocks above.
func stacked(blocks []block, items []int) (w, h, axis, exit int) {
	right, y := 0, 0
	edge, free := 0, 0 // the answers of the blocks above begin edge to the right of the axis, and end above y = free
	for i, at := range items {
		b := &blocks[at]
		if i+1 < len(items) && b.h > b.ownH+gap {
			b.makeRoom(&blocks[items[i+1]])
		}
		if y < free && b.w-b.axis+beside > edge {
			y = free
		}
		if y >= free {
			edge = math.MaxInt
		}
		if len(b.answers) > 0 {
			edge, free = min(edge, b.answersX()-b.axis), max(free, y+b.h+gap)
		}
		b.y, exit = y, y+b.exit
		axis, right, h = max(axis, b.axis), max(right, b.w-b.axis), max(h, y+b.h)
		y += b.ownH + gap
	}
	return axis + right, h, axis, exit
}

// makeRoom moves the answers of b to the right, so that next fits beside them. It doesn't move them if that would need more
// than mostAside, or if next has answers itself.
func (b *block) makeRoom(next *block) {
	lacks := next.w - next.axis + beside - (b.answersX() - b.axis)
	if len(next.answers) == 0 && 0 < lacks && lacks <= mostAside {
		b.aside = lacks
		b.w += lacks
	}
}

// answersX returns the distance from the left side of b to its answers.
func (b *block) answersX() int { return b.ownW + toAnswer + b.aside }

func measureFrame(blocks []block, b *block) {
	textW, textH := textSize(b)
	w, h, axis, _ := stacked(blocks, b.items)
	b.head = textH
	left, above, below := b.margins(blocks)
	b.boxW, b.boxH = max(left+w+pad, textW), textH+above+h+below
	b.axis = left + axis + max(0, textW-left-w-pad)/2
	b.w, b.h, b.exit = b.boxW, b.boxH, b.boxH
	if b.many() {
		b.w, b.h = b.w+cards, b.h+cards
	}
}

// margins returns the room in a frame around the blocks in it. The frame of a loop has more room, for the line back.
func (b *block) margins(blocks []block) (left, above, below int) {
	switch {
	case b.tree.Loop:
		return pad + turn, 2 * pad, 2 * pad
	default:
		above, below = pad, pad
		if blocks[b.items[0]].form.forks() {
			above = 0
		}
		if blocks[b.items[len(b.items)-1]].form.forks() {
			below = 0
		}
		return pad, above, below
	}
}

// forks reports whether lines begin at the upper end of a block of form f and meet at its lower end.
func (f form) forks() bool { return f == fork || f == layers }

// measureFork puts branches side by side, in rows if there are many. Unless a branch is wider than rowWidth, measureFork takes
// the smallest width for which there are no more rows than with rowWidth, so that the rows are about equally long.
func measureFork(blocks []block, b *block) {
	most, width := b.fill(blocks, rowWidth)
	least := sort.Search(width, func(w int) bool {
		rows, _ := b.fill(blocks, w)
		return len(rows) == len(most)
	})
	b.rows, width = b.fill(blocks, least)
	h := 0
	for _, r := range b.rows {
		h += r.h + 4*rail
	}
	if len(b.rows) > 1 { // room for the lines to the rows, at both sides
		width += 2 * beside
		h += 2 * rail
	}
	b.w, b.h, b.exit, b.axis = width, h, h, width/2
	if len(b.rows) == 1 {
		first, last := &blocks[b.items[0]], &blocks[b.items[len(b.items)-1]]
		b.axis = (first.axis + width - last.w + last.axis) / 2
	}
}

// fill puts the branches of a fork into rows. Only a row with a single branch may be wider than limit. width is the width of
// the widest row.
func (b *block) fill(blocks []block, limit int) (rows []row, width int) {
	w := 0
	for i, at := range b.items {
		branch := &blocks[at]
		if i == 0 || w+beside+branch.w > limit {
			rows = append(rows, row{from: i})
			w = -beside
		}
		r := &rows[len(rows)-1]
		w += beside + branch.w
		r.to, r.h = i+1, max(r.h, branch.h)
		width = max(width, w)
	}
	return rows, width
}

func measureAnswers(blocks []block, b *block) {
	b.ownW, b.ownH = b.w, b.h
	if len(b.answers) == 0 {
		return
	}
	w, h := 0, -beside
	for _, at := range b.answers {
		w = max(w, blocks[at].w)
		h += beside + blocks[at].h
	}
	b.w, b.h = b.w+toAnswer+w, max(b.h, h)
}
