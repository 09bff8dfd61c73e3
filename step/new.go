package step

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// New makes a step that decides how it goes on: its body returns a [Next], which is a value,
// an error, sub-steps, or a wait. Only the Next that the body returns counts: a call of
// step.Fail without return does nothing.
//
// body runs on the loop of the run and must not block. as is valid until the step has ended. If
// body returns sub-steps or a wait, as stays valid after body has returned. A panic fails the
// step with InternalError. A nil body is reported as for [Map].
//
//spec:ftn12 §1.1, §2.1, §2.2.1 add
func New[In, Out any](body func(as Scope, in In) Next[Out]) Step[In, Out] {
	s := op.One("new", body, func(in plan.Cell[In], out plan.Cell[Out], e *plan.Emitter) frame.Op {
		return &newOp[In, Out]{in: in, out: out, body: body, slot: plan.State[op.Wait[Out]](e)}
	})
	s.Node().Decides = true
	return s
}

type newOp[In, Out any] struct {
	in   plan.Cell[In]
	out  plan.Cell[Out]
	body func(Scope, In) Next[Out]
	slot plan.Cell[op.Wait[Out]]
}

func (o *newOp[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	n := o.body(scopeOf(f), *o.in.At(f))
	switch n.how & kinds {
	case succeed:
		*o.out.At(f) = n.value
		return frame.Done
	case fail:
		err, _ := n.via.(error)
		return op.Fail(f, err)
	case into:
		sub, _ := n.via.(*frame.Activation)
		if !made(f, n.how, into) || !plan.Gives[Out](sub) {
			return f.WrongNext()
		}
		return f.CallFresh(sub)
	case wait:
		if !made(f, n.how, wait) {
			return f.WrongNext()
		}
		begin, _ := n.via.(starter[Out])
		o.wait(f, begin)
		return frame.Waiting
	case unwind:
		return frame.Silent
	default:
		return o.implicit(f)
	}
}

// implicit returns the verdict for the zero Next. Returned by a body, the zero Next means
// success or, if the body has set a timeout or a cancel hook, a wait (FTN12 §1.6). Returned by
// a handler, it means that the handler has no answer.
func (o *newOp[In, Out]) implicit(f *frame.Frame) frame.Verdict {
	switch {
	case f.Handled():
		return frame.Silent
	case f.Expects():
		o.wait(f, nil)
		return frame.Waiting
	default:
		var zero Out
		*o.out.At(f) = zero
		return frame.Done
	}
}

func (o *newOp[In, Out]) wait(f *frame.Frame, begin starter[Out]) {
	slot := o.slot.At(f)
	if begin == nil {
		slot.Open(f)
		return
	}
	gen := slot.OpenInBody(f)
	begin(Done[Out]{slot, gen})
	slot.BodyReturned(gen)
}

func (o *newOp[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	if in := endedLevel(f); in != nil {
		*o.out.At(f) = *plan.OutputOf[Out](in)
		return frame.Done
	}
	return o.slot.At(f).Take(f, o.out.At(f))
}

// Handle passes every error on: handlers are given with flow.Catch, not with the step.
func (o *newOp[In, Out]) Handle(*frame.Frame, error) frame.Verdict { return frame.Unhandled }

func (o *newOp[In, Out]) Loops(*frame.Jump) bool { return false }
