package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// saga is a step that undoes the effects of its sub-steps if it doesn't succeed.
type saga[In, Out any] struct {
	group[In, Out]
	state plan.Cell[undos]
}

type undos struct {
	shielded
	newest, oldest done // the ends of a linked list, so that handing over any number of effects takes the same time
	n              int  // number of effects
	undoing        bool
}

// done is an effect that can be undone.
type done interface {
	// undo takes an activation of the steps that undo the effect.
	undo(f *frame.Frame) *frame.Activation
	// before returns a pointer to the link to the next older effect.
	before() *done
}

func (s *undos) add(d done) {
	if *d.before() = s.newest; s.newest == nil {
		s.oldest = d
	}
	s.newest = d
	s.n++
}

// take removes the newest effect and returns it with its number, from 0; nil if there is none.
func (s *undos) take() (d done, n int) {
	if d = s.newest; d != nil {
		s.n--
		if s.newest = *d.before(); s.newest == nil {
			s.oldest = nil
		}
	}
	return d, s.n
}

// handOver adds the effects to those of outer, as its newest ones.
func (s *undos) handOver(outer *undos) {
	if s.newest == nil {
		return
	}
	if *s.oldest.before() = outer.newest; outer.newest == nil {
		outer.oldest = s.oldest
	}
	outer.newest = s.newest
	outer.n += s.n
}

func (s *undos) Clear() { *s = undos{} }

func (o *saga[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	o.state.At(f).Clear() // left over from another saga of this level
	f.Finally()
	return o.enter(f)
}

func (o *saga[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	s := o.state.At(f)
	_ = plan.Result(f, o.out.At(f))
	switch outer := sagaAround(f); {
	case outer != nil:
		s.handOver(outer)
	case s.newest != nil && f.Sheltered() && f.LostSaga():
		return f.Fail(errNoSaga) // Finalize undoes what was done
	case s.newest != nil && !f.Commit():
		return frame.Halted // a cancel was accepted before: when it is delivered, Finalize undoes what was done
	}
	f.Unfinally()
	s.Clear()
	return frame.Done
}

// Finalize begins to undo the newest effect that is left.
func (o *saga[In, Out]) Finalize(f *frame.Frame, _ Leaving) bool {
	s := o.state.At(f)
	if s.undoing {
		s.join(f)
	}
	it, number := s.take()
	if it == nil {
		return false
	}
	s.undoing = true
	_ = s.begin(f, number, it.undo(f), false) // no verdict is needed: the unwinding waits for the undo
	return true
}

// undos returns the state of the saga; nil if the saga takes no further effects.
func (o *saga[In, Out]) undos(f *frame.Frame) *undos {
	if s := o.state.At(f); !s.undoing && !f.Handled() {
		return s
	}
	return nil
}

// sagaAround returns the state of the nearest saga around f that takes effects; nil if there is none.
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

// Saga runs s. If s doesn't succeed, the effects of the Undo steps in it are undone, newest first.
func Saga[In, Out any](s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("saga", func(e *plan.Emitter, n *plan.Node) {
		state := plan.State[undos](e)
		holding(e, s.Node(), func(e *plan.Emitter, g group[In, Out], body plan.Held) {
			e.Op(n, &saga[In, Out]{g, state}, body)
		})
	}, s.Node())
	n.Saga = plan.IsSaga
	return plan.NewStage[In, Out](n)
}
