package op

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// undo is a step whose effect the saga around it can undo.
type undo[In, V any] struct {
	frame.Leaf
	do, back *frame.Level
	in       plan.Cell[In]
	out      plan.Cell[V]
	state    plan.Cell[undoable]
}

type undoable struct {
	shielded
	undoing bool // the step undoes its effect by itself, because no saga does
}

// partUndo is the number that paths show for the steps that undo the effect if the step itself runs them.
const partUndo = 1

// errNoSaga is the error of an Undo, or of a Saga that has done something, in a shield in a Linger that was left, if the
// next saga outwards is around the Linger.
var errNoSaga error = fault.New(fault.Cancelled, "no saga hears of it any more: the part of the plan that it is in was left")

// effect records the result of do, for the saga that may have to undo it.
type effect[V any] struct {
	back  *frame.Level
	v     V
	older done
}

func (d *effect[V]) before() *done { return &d.older }

func (d *effect[V]) undo(f *frame.Frame) *frame.Activation {
	return open(f, d.back, d.v)
}

func (o *undo[In, V]) Exec(f *frame.Frame) frame.Verdict {
	switch {
	case sagaAround(f) != nil:
	case f.LostSaga():
		return f.Fail(errNoSaga)
	default:
		return f.Fail(f.Violation("undoes what it does, but is in no saga"))
	}
	f.Finally()
	f.KeepOrder() // effects are undone newest first, by the time of their success (K5)
	s := o.state.At(f)
	s.undoing = false
	return s.begin(f, 0, open(f, o.do, *o.in.At(f)), true)
}

func (o *undo[In, V]) Resume(f *frame.Frame) frame.Verdict {
	switch around := sagaAround(f); {
	case around != nil:
		*o.out.At(f) = o.did(f, around)
		f.Unfinally()
		return frame.Done
	case f.Sheltered():
		return f.Fail(errNoSaga) // Finalize undoes the effect
	default:
		return frame.Halted // the part around the step is about to be cancelled: then Finalize undoes the effect
	}
}

// did takes the result of do, reports the effect to the saga s, and returns the result.
func (o *undo[In, V]) did(f *frame.Frame, s *undos) V {
	v := resultOf[V](f, &o.state.At(f).shielded)
	s.add(&effect[V]{back: o.back, v: v})
	return v
}

// Finalize reports the effect to the saga if do has succeeded while the step was being left. If that saga is
// outside of a Linger that was left, Finalize undoes the effect itself.
func (o *undo[In, V]) Finalize(f *frame.Frame, _ Leaving) bool {
	s := o.state.At(f)
	switch around := sagaAround(f); {
	case s.undoing || !s.fork.Succeeded():
		s.join(f)
	case around != nil:
		o.did(f, around)
	default:
		s.undoing = true
		v := resultOf[V](f, &s.shielded)
		_ = s.begin(f, partUndo, open(f, o.back, v), false) // no verdict is needed: the unwinding waits for the undo
		return true
	}
	return false
}

// Undo runs do. If the saga around it doesn't succeed, the saga runs back with the result of do.
func Undo[In, V, Z any](do *plan.Stage[In, V], back *plan.Stage[V, Z]) *plan.Stage[In, V] {
	n := plan.NewNode[In, V]("undo", func(e *plan.Emitter, n *plan.Node) {
		o := new(undo[In, V])
		holds := []plan.Held{{Role: plan.Phase, Node: do.Node()}, {Role: plan.Undoing, Node: back.Node()}}
		e.Then(func(e *plan.Emitter) {
			o.in, o.state = plan.Input[In](e), plan.State[undoable](e)
			o.out = plan.Output[V](e)
			e.Op(n, o, holds...)
		})
		level(e, do, &o.do, &holds[0])
		level(e, back, &o.back, &holds[1])
	}, do.Node(), back.Node())
	n.Saga = plan.NeedsSaga
	return plan.NewStage[In, V](n)
}
