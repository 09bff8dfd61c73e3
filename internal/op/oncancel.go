package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// hooked is a step that holds sub-steps and has a cancel hook.
type hooked[In, Out any] struct {
	group[In, Out]
	hook  frame.Op // runs in the frame of the step
	state plan.Cell[hook]
}

// hook holds the function that the machine calls. The function is made once, and kept with the memory.
type hook struct {
	op    frame.Op
	frame *frame.Frame
	call  func()
}

// Clear keeps the function, which refers to nothing but the hook itself.
func (h *hook) Clear() { h.op, h.frame = nil, nil }

func (o *hooked[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	h := o.state.At(f)
	if h.call == nil {
		h.call = func() { h.op.Exec(h.frame) }
	}
	h.op, h.frame = o.hook, f
	f.SetCancel(h.call)
	return o.enter(f)
}

// OnCancel makes a stage that runs s. If s is left in any way but success, onLeave runs after that. onLeave must be a single
// step.
func OnCancel[In, Out any](s *plan.Stage[In, Out], onLeave *plan.Stage[struct{}, struct{}]) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("oncancel", func(e *plan.Emitter, n *plan.Node) {
		o := &hooked[In, Out]{state: plan.State[hook](e)}
		e.Then(func(e *plan.Emitter) {
			value := e.Value()
			plan.At(e, plan.NewCell[struct{}](e))
			e.Inline(onLeave.Node(), func(e *plan.Emitter, s plan.Step) {
				o.hook = s.Op
				e.SetValue(value)
			})
		})
		holding(e, s.Node(), func(e *plan.Emitter, g group[In, Out], body plan.Held) {
			o.group = g
			e.Op(n, o, body, plan.Held{Role: plan.Hook, Node: onLeave.Node()})
		})
	}, s.Node(), onLeave.Node())
	return plan.NewStage[In, Out](n)
}
