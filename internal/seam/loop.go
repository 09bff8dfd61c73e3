package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// Source is what a loop takes its turns from. Each instance has its own.
type Source[In, Item, T any] interface {
	// Open begins with the loop's input and gives the first carried value.
	Open(in In) T
	// Next fills the input of the next turn; false ends the loop.
	Next(carry T, item *Item) bool
	// Reset drops what Open has kept.
	Reset()
}

// closer is a Source that holds something which must be given back whichever
// way the loop ends.
type closer interface{ Close() }

// loop is a step that runs its body again and again. It carries a value from
// turn to turn: the result of one is what the next begins with.
type loop[In, Item, T any] struct {
	frame.Leaf
	body   frame.Frame
	source Source[In, Item, T]
	close  func() // nil if the source needs none
	label  *frame.Label
	carry  T
	in     *Cell[In]
	item   *Cell[Item]
	result *Cell[T] // of the body
	out    *Cell[T]
}

func (o *loop[In, Item, T]) Exec(f *frame.Frame) frame.Verdict {
	if o.close != nil {
		f.Defer(o.close)
	}
	o.carry = o.source.Open(o.in.V)
	return o.turn(f)
}

func (o *loop[In, Item, T]) turn(f *frame.Frame) frame.Verdict {
	if o.source.Next(o.carry, &o.item.V) {
		return f.Enter(&o.body)
	}
	return o.end()
}

func (o *loop[In, Item, T]) end() frame.Verdict {
	o.out.V = o.carry
	o.Clear()
	return frame.Done
}

func (o *loop[In, Item, T]) Resume(f *frame.Frame) frame.Verdict {
	g := f.Signal()
	switch {
	case g == nil:
		o.carry = o.result.V
	case g.Given:
		o.carry, _ = g.Value.(T) // a nil interface is the zero T
	}
	if g != nil && !g.Again {
		return o.end()
	}
	return o.turn(f)
}

func (o *loop[In, Item, T]) Loops(g *frame.Signal) bool {
	return g.Label == nil || g.Label == o.label
}

func (o *loop[In, Item, T]) Clear() {
	var zero T
	o.carry = zero
	o.source.Reset()
}

func (o *loop[In, Item, T]) call(label *frame.Label) { o.label = label }

// Loop runs body for what its source gives.
func Loop[In, Item, T any](skip int, kind string, body *Stage[Item, T], source func() Source[In, Item, T]) *Stage[In, T] {
	var n *Node
	n = NewNode[In, T](kind, skip+1, func(e *Emitter) {
		o := &loop[In, Item, T]{source: source(), in: Input[In](e)}
		if c, ok := o.source.(closer); ok {
			o.close = c.Close
		}
		o.item = NewCell[Item](e)
		e.cells = append(e.cells, o)
		e.At(o.item)
		e.Level(body.node, func(level *frame.Level) {
			o.body.Init(e.inst, level)
			o.result = Input[T](e)
			o.out = Output[T](e)
			e.Op(&n.Info, o)
		})
	}, Kid{body.node, Body})
	n.Loop = true
	return NewStage[In, T](n)
}

// Labelled gives a loop its label.
func Labelled[In, T any](skip int, label *frame.Label, s *Stage[In, T]) *Stage[In, T] {
	n := NewNode[In, T](s.node.Kind, skip+1, func(e *Emitter) {
		e.Level(s.node, func(level *frame.Level) {
			op := level.Ops[0]
			op.(interface{ call(label *frame.Label) }).call(label)
			e.Op((*level.Infos)[0], op)
		})
	}, Kid{s.node, Body})
	n.Loop = true
	n.Wraps = true
	switch {
	case label == nil:
		n.Reject("Labelled: the zero Label names no loop")
	case !s.node.Loop:
		n.Reject("Labelled: the stage is not a loop")
	}
	return NewStage[In, T](n)
}

// Label names a loop.
type Label = frame.Label
