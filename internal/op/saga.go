package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// saga is a step that undoes what its sub-steps have done if it doesn't succeed.
type saga[In, Out any] struct {
	group[In, Out]
	state plan.Cell[undos]
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
	_ = plan.Result(f, o.out.At(f))
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
func Saga[In, Out any](s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	var n *plan.Node
	n = plan.NewNode[In, Out]("saga", func(e *plan.Emitter) {
		state := plan.State[undos](e)
		holding(e, s.Node(), func(e *plan.Emitter, g group[In, Out], body plan.Held) {
			e.Op(n, &saga[In, Out]{g, state}, body)
		})
	}, s.Node())
	return plan.NewStage[In, Out](n)
}
