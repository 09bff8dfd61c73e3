package draw

import (
	"slices"
	"strings"

	"github.com/futoin-go/asyncsteps/flow"
)

// block is a rectangular part of an SVG picture. A plan is made of sequences and branches inside of each other, so a picture
// is made of blocks inside of each other.
type block struct {
	form    form
	tree    *flow.Tree // nil for ends and forks
	holder  int        // index of the block around it; none for the picture
	items   []int      // indexes of the blocks in it, in the order of the plan
	answers []int      // indexes of the blocks beside its box: handlers, hooks, undos
	text    []line     // the text in its box
	state   State
	link    string

	// Set by measure.
	w, h       int // size with the answers
	ownW, ownH int // size without the answers
	aside      int // how far the answers are moved to the right, so that the next block fits beside them
	axis       int // distance from its left side to the line that enters at the top and leaves at the bottom
	exit       int // distance from its top to the point where the line leaves
	boxW, boxH int // size of its box, whose upper left corner is that of the block
	rows       []row
	head       int          // height of the text at the top of a frame
	levels     []level      // for layers
	depth      []int        // for layers: the level of each branch, from 1, and at the end the level of the result
	spots      map[spot]int // for layers: distances from the axis to the places where lines pass

	x, y int // set by place; before that, y is the distance from the upper end of the stack around the block
}

type form uint8

const (
	whole  form = iota // the picture
	end                // a box with the type that goes in or comes out
	leaf               // a box with text alone
	frame              // a box around other blocks
	column             // a branch: blocks below each other, without a box
	fork               // branches side by side
	layers             // the branches of a flow.Graph
)

// boxed reports whether the block has a box of its own.
func (b *block) boxed() bool { return b.form == end || b.form == leaf || b.form == frame }

// many reports whether the block stands for any number of equal branches, such as one for each element.
func (b *block) many() bool {
	return b.form == frame && len(b.tree.Holds) > 0 && b.tree.Holds[0].Role == flow.RoleBranch && strings.HasSuffix(b.tree.Holds[0].Path, ".N")
}

// builder makes the blocks of a plan. It doesn't recurse, because plans may be deep.
type builder struct {
	blocks []block
	open   []held // a stack
	marks  []Marks
}

// held is a part of a plan that has no block yet.
type held struct {
	tree   *flow.Tree
	holder int
}

// newBlocks returns the blocks of t: first the whole picture, and each block before those that it holds.
func newBlocks(t *flow.Tree, marks []Marks) []block {
	b := builder{blocks: []block{{form: whole, tree: t, holder: none}}, marks: marks}
	b.item(block{form: end, text: []line{{title, cut(typeText(t.In))}}})
	b.hold(0, t)
	for len(b.open) > 0 {
		next := b.open[len(b.open)-1]
		b.open = b.open[:len(b.open)-1]
		b.hold(b.part(next), next.tree)
	}
	b.item(block{form: end, text: []line{{title, cut(typeText(t.Out))}}})
	return b.blocks
}

func (b *builder) hold(at int, t *flow.Tree) {
	for _, part := range slices.Backward(t.Holds) {
		b.open = append(b.open, held{part, at})
	}
}

func (b *builder) part(h held) int {
	made := block{form: leaf, tree: h.tree, holder: h.holder}
	if folds(h.tree) {
		made.form = frame
	}
	switch h.tree.Role {
	case flow.RoleBranch:
		made.form, made.holder = column, b.fork(h.holder)
		return b.item(made)
	case flow.RoleHandler, flow.RoleHook, flow.RoleUndo:
		made.text = answerText(h.tree)
		b.blocks = append(b.blocks, made)
		at := len(b.blocks) - 1
		b.blocks[h.holder].answers = append(b.blocks[h.holder].answers, at)
		return at
	default:
		made.text = stepText(h.tree)
		made.mark(b.marks)
		return b.item(made)
	}
}

func (b *builder) item(made block) int {
	b.blocks = append(b.blocks, made)
	at := len(b.blocks) - 1
	b.blocks[made.holder].items = append(b.blocks[made.holder].items, at)
	return at
}

// fork returns the fork for the next branch of the block holder: the last block in it if that is a fork, or a new fork.
func (b *builder) fork(holder int) int {
	h := &b.blocks[holder]
	if n := len(h.items); n > 0 && b.blocks[h.items[n-1]].form.forks() {
		return h.items[n-1]
	}
	if h.tree.Edges != nil {
		return b.item(block{form: layers, holder: holder, tree: h.tree})
	}
	return b.item(block{form: fork, holder: holder})
}

// answersOf returns the number of handlers, hooks and undos that t holds, which stand beside its box.
func answersOf(t *flow.Tree) (n int) {
	for _, held := range t.Holds {
		if held.Role == flow.RoleHandler || held.Role == flow.RoleHook || held.Role == flow.RoleUndo {
			n++
		}
	}
	return n
}

func (b *block) mark(marks []Marks) {
	for _, m := range marks {
		if m, marked := m[b.tree.Path]; marked {
			b.text, b.state, b.link = stepText(b.tree), m.State, m.Link
			if m.Note != "" {
				b.text = append(b.text, line{note, cut(printable(m.Note))})
			}
		}
	}
}
