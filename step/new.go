package step

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/seam"
)

// New makes a step that decides how it goes on: its body returns a [Next],
// which is a value, an error, sub-steps, or a wait.
//
// body runs on the loop of the run and must not block. as is valid until the
// step has ended, which for sub-steps and waits is after body has returned. A
// panic fails the step with InternalError. A nil body is reported as that of
// [Map]. FTN12 §1.1, §2.1, §2.2.1 add.
func New[In, Out any](body func(as Scope, in In) Next[Out]) Step[In, Out] {
	return op("new", body == nil, func(in *seam.Cell[In], out *seam.Cell[Out], e *seam.Emitter) frame.Op {
		return &newOp[In, Out]{in: in, out: out, body: body, inst: e.Instance()}
	})
}

type newOp[In, Out any] struct {
	in   *seam.Cell[In]
	out  *seam.Cell[Out]
	body func(Scope, In) Next[Out]
	sub  *seam.Outlet[Out] // while sub-steps run
	slot *seam.Slot[Out]   // made by the first wait
	inst *frame.Instance
}

func (o *newOp[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	n := o.body(Scope{f.Ref()}, o.in.V)
	switch n.how & kinds {
	case succeed:
		o.out.V = n.value
		return frame.Done
	case fail:
		return seam.Fail(f, n.via)
	case into:
		sub, _ := n.via.(*seam.Outlet[Out]) //nolint:errorlint // no error, see Next
		if n.how != f.Stamp()|into || !sub.Fresh() {
			return f.Foreign()
		}
		o.sub = sub
		return sub.Enter(f)
	case wait:
		if n.how != f.Stamp()|wait {
			return f.Foreign()
		}
		begin, _ := n.via.(starter[Out]) //nolint:errorlint // no error, see Next
		o.wait(f, begin)
		return frame.Waiting
	case unwind:
		return frame.Silent
	default:
		return o.implicit(f)
	}
}

// implicit is the end of a body that says nothing (§1.6): success, unless it
// left a timeout or a hook behind, which means to wait. Of a handler it is
// silence.
func (o *newOp[In, Out]) implicit(f *frame.Frame) frame.Verdict {
	switch {
	case f.Handled():
		return frame.Silent
	case f.Expects():
		o.wait(f, nil)
		return frame.Waiting
	default:
		var zero Out
		o.out.V = zero
		return frame.Done
	}
}

func (o *newOp[In, Out]) wait(f *frame.Frame, begin starter[Out]) {
	if o.slot == nil {
		o.slot = new(seam.Slot[Out])
		o.inst.Keep(o.slot)
	}
	o.sub = nil // of sub-steps that failed, an earlier time
	if begin == nil {
		o.slot.Open(f, nil)
		return
	}
	begin(Done[Out]{o.slot, o.slot.Setup(f)})
	o.slot.Armed()
}

func (o *newOp[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	if o.sub != nil {
		o.out.V = o.sub.Out.V
		o.sub = nil
		return frame.Done
	}
	return o.slot.Take(f, o.out)
}

// Handle lets every error pass: a handler is given with flow.Catch.
func (o *newOp[In, Out]) Handle(*frame.Frame, error) frame.Verdict { return frame.Unhandled }

func (o *newOp[In, Out]) Loops(*frame.Signal) bool { return false }
