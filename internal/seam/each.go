package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// each is a step that runs a stage for every element of a slice, on a bounded
// number of lanes. A lane is a branch that takes one element after the other.
type each[A, B any] struct {
	frame.Leaf
	inst  *frame.Instance
	stage *Stage[A, B]
	bound int
	in    *Cell[[]A]
	out   *Cell[[]B]
	fork  frame.Fork
	lanes []*lane[A, B]
	next  int // element that the next free lane takes
}

// kept bounds the lanes that a pooled instance keeps.
const kept = 1024

func (o *each[A, B]) Exec(f *frame.Frame) frame.Verdict {
	n := len(o.in.V)
	o.out.V = make([]B, n)
	o.next = 0
	lanes := min(n, o.bound)
	if lanes > cap(o.fork.Branches) {
		o.grow(lanes)
	}
	o.fork.Branches = o.fork.Branches[:lanes]
	return f.Fork(&o.fork)
}

// grow makes room for n lanes. Branches don't move while a run uses them, and
// none does now.
func (o *each[A, B]) grow(n int) {
	o.fork.Branches = make([]frame.Branch, n)
	o.lanes = make([]*lane[A, B], n)
	for i := range o.lanes {
		o.lanes[i] = &lane[A, B]{all: o}
		b := &o.fork.Branches[i]
		b.Init(o.inst, &frame.Level{Ops: []frame.Op{o.lanes[i]}})
		b.Lane()
	}
}

// Clear drops lanes that are too many to keep, and what the others hold.
func (o *each[A, B]) Clear() {
	if cap(o.fork.Branches) > kept {
		o.fork.Branches, o.lanes = nil, nil
	}
	for _, l := range o.lanes {
		l.sub = nil
	}
}

// lane is the only op of a branch of each.
type lane[A, B any] struct {
	frame.Leaf
	all     *each[A, B]
	element int
	sub     *Outlet[B]
}

func (l *lane[A, B]) Exec(f *frame.Frame) frame.Verdict {
	all := l.all
	if all.next == len(all.in.V) {
		return frame.Done
	}
	l.element = all.next
	all.next++
	f.Strand().Index(l.element)
	sub, err := all.stage.Prepare(f.Run(), all.in.V[l.element])
	if err != nil {
		return f.Fail(err)
	}
	l.sub = sub
	return sub.Enter(f)
}

func (l *lane[A, B]) Resume(f *frame.Frame) frame.Verdict {
	l.all.out.V[l.element] = l.sub.Out.V
	l.sub = nil
	return l.Exec(f)
}

// Each runs s for every element of its input, at most bound at a time, and
// gives the results in the order of the elements.
func Each[A, B any](skip, bound int, s *Stage[A, B]) *Stage[[]A, []B] {
	var n *Node
	n = NewNode[[]A, []B]("each", skip+1, func(e *Emitter) {
		o := &each[A, B]{inst: e.inst, stage: s, bound: bound, in: Input[[]A](e)}
		o.out = Output[[]B](e)
		e.cells = append(e.cells, o)
		e.Op(&n.Info, o)
	}, Kid{s.node, Body})
	if bound < 1 {
		n.Reject("ParEach: the bound must be at least 1")
	}
	return NewStage[[]A, []B](n)
}
