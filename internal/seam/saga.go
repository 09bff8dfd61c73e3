package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// saga is a step that undoes what its sub-steps have done if it doesn't succeed.
type saga[In, Out any] struct {
	group[In, Out]
	state Cell[undos]
}

// undos is the state of a saga.
type undos struct {
	shielded
	done    []done // oldest first
	undoing bool
}

// done is something that can be undone.
type done interface {
	// undo takes an activation of the steps that undo it.
	undo(f *frame.Frame) *frame.Activation
}

// Clear drops what was done.
func (s *undos) Clear() {
	s.shielded.Clear()
	clear(s.done)
	s.done, s.undoing = s.done[:0], false
	if cap(s.done) > kept {
		s.done = nil
	}
}

func (o *saga[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	o.state.At(f).Clear() // of another saga of this level
	f.Finally()
	return o.enter(f)
}

func (o *saga[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	_ = Result(f, o.out.At(f))
	f.Unfinally()
	if outer := sagaAround(f); outer != nil {
		outer.done = append(outer.done, s.done...)
	}
	s.Clear()
	return frame.Done
}

// Finalize undoes what was done last.
func (o *saga[In, Out]) Finalize(f *frame.Frame, _ Leaving) bool {
	s := o.state.At(f)
	if s.undoing {
		f.Join(&s.Fork)
	}
	last := len(s.done) - 1
	if last < 0 {
		s.Clear()
		return false
	}
	s.undoing = true
	it := s.done[last]
	s.done[last] = nil
	s.done = s.done[:last]
	_ = s.begin(f, last, it.undo(f), false) // it is waited for
	return true
}

// undos gives the state, nil if the saga takes nothing more.
func (o *saga[In, Out]) undos(f *frame.Frame) *undos {
	if s := o.state.At(f); !s.undoing && !f.Handled() {
		return s
	}
	return nil
}

// sagaAround is the nearest saga around f; nil if there is none.
func sagaAround(f *frame.Frame) (s *undos) {
	f.Outwards(func(f *frame.Frame) bool {
		op := f.Op()
		if h, ok := op.(handles); ok {
			op = h.handled()
		}
		if o, ok := op.(interface {
			undos(f *frame.Frame) *undos
		}); ok {
			s = o.undos(f)
		}
		return s == nil
	})
	return s
}

// Saga runs s; if it doesn't succeed, what was done by steps of Undo in it is
// undone, newest first.
func Saga[In, Out any](s *Stage[In, Out]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("saga", func(e *Emitter) {
		state := State[undos](e)
		holding(e, s.node, func(e *Emitter, g group[In, Out], body Held) {
			e.Op(n, &saga[In, Out]{g, state}, body)
		})
	}, s.node)
	return NewStage[In, Out](n)
}

// undo is a step whose effect the saga around it can undo.
type undo[In, V any] struct {
	frame.Leaf
	do, back *frame.Level
	in       Cell[In]
	out      Cell[V]
	state    Cell[shielded]
}

// effect is what a step of Undo has done.
type effect[V any] struct {
	back *frame.Level
	v    V
}

func (d *effect[V]) undo(f *frame.Frame) *frame.Activation {
	return open(f, d.back, d.v)
}

func (o *undo[In, V]) Exec(f *frame.Frame) frame.Verdict {
	if sagaAround(f) == nil {
		return f.Fail(f.Violation("undoes what it does, but is in no saga"))
	}
	f.Finally()
	return o.state.At(f).begin(f, 0, open(f, o.do, *o.in.At(f)), true)
}

func (o *undo[In, V]) Resume(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = o.did(f)
	f.Unfinally()
	return frame.Done
}

// did tells the saga of the effect.
func (o *undo[In, V]) did(f *frame.Frame) V {
	v := resultOf[V](f, o.state.At(f))
	s := sagaAround(f)
	s.done = append(s.done, &effect[V]{o.back, v})
	return v
}

// Finalize tells the saga of an effect that has come about while the step was left.
func (o *undo[In, V]) Finalize(f *frame.Frame, _ Leaving) bool {
	if s := o.state.At(f); s.Succeeded() {
		o.did(f)
	} else {
		f.Join(&s.Fork)
	}
	return false
}

// Undo runs do; back undoes it, if the saga around doesn't succeed.
func Undo[In, V, Z any](do *Stage[In, V], back *Stage[V, Z]) *Stage[In, V] {
	var n *Node
	n = NewNode[In, V]("undo", func(e *Emitter) {
		o := new(undo[In, V])
		holds := []Held{{Role: Phase, Node: do.node}, {Role: Undoing, Node: back.node}}
		e.Then(func(e *Emitter) {
			o.in, o.state = Input[In](e), State[shielded](e)
			o.out = Output[V](e)
			e.Op(n, o, holds...)
		})
		level(e, do, &o.do, &holds[0])
		level(e, back, &o.back, &holds[1])
	}, do.node, back.node)
	return NewStage[In, V](n)
}
