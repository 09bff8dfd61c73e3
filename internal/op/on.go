package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/tool"
)

// on is a step that runs a stage as a run of its own, as a rule on another loop, and waits for its end.
type on[In, Out any] struct {
	frame.Leaf
	loop  func() tool.Tool
	stage *plan.Stage[In, Out]
	in    plan.Cell[In]
	out   plan.Cell[Out]
	slot  plan.Cell[Wait[Out]]
}

func (o *on[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	loop, asker := f.Run().Tool(), f.Run().Host()
	// A deterministic loop can't learn of an end on another loop. A loop that takes work must be offered all work of its runs.
	if !asker.Deterministic() && !asker.TakesWork() {
		loop = o.loop()
	}
	x := &errand[Out]{Around: f.Around(), frame: f, slot: o.slot.At(f)}
	x.To, x.Asker = x, asker
	// Without a limit: whatever leaves the step waits for the end of the run.
	x.gen = x.slot.Hire(f, func(cause error) { x.CancelInner(cause, x.frame.LeftByLimit()) }, -1)
	plan.StartTold(frame.Inherited{Context: f.Outer()}, loop, o.stage, *o.in.At(f), &x.Told, x)
	return frame.Waiting
}

func (o *on[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	return o.slot.At(f).Take(f, o.out.At(f))
}

type errand[Out any] struct {
	plan.Told[Out]
	frame.Around
	frame *frame.Frame // of the step
	slot  *Wait[Out]   // of the step
	gen   uint64
}

// Receive implements plan.Receiver. It is called on the loop of the run, or on the loop of the step if the run can't
// be started.
func (x *errand[Out]) Receive(out Out, err error) {
	if err == nil {
		x.slot.Succeed(x.gen, out)
		x.slot.Finish(x.gen)
		return
	}
	if x.slot.Fail(x.gen, frame.Within(err, false)) {
		err = nil
	}
	x.slot.FinishLate(x.gen, frame.Late(err))
}

// Within implements frame.Guest.
func (x *errand[Out]) Within() *frame.Frame { return x.frame }

// On runs s on the loop that loop() returns. If the loop of the step is deterministic or takes work, s runs on that one
// instead. A non-empty bad is the reason why loop can't be called; the stage then can't be run.
func On[In, Out any](loop func() tool.Tool, bad string, s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("on", func(e *plan.Emitter, n *plan.Node) {
		o := &on[In, Out]{loop: loop, stage: s, in: plan.Input[In](e), slot: plan.State[Wait[Out]](e)}
		o.out = plan.Output[Out](e)
		e.Apart(s.Node(), plan.Body, func(e *plan.Emitter, body plan.Held) { e.Op(n, o, body) })
	}, s.Node())
	n.Saga = plan.HidesSaga
	if bad != "" {
		n.Reject(bad)
	} else if undo := s.Node().Unsaved(); undo != nil {
		n.Reject("On: no Saga finds the Undo in it (" + undo.Site().String() + "): a Saga in the part that runs on the other loop would")
	}
	return plan.NewStage[In, Out](n)
}
