package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// hooked is a step with a cancel hook over its sub-steps.
type hooked[In, Out any] struct {
	group[In, Out]
	hook  frame.Op // runs in the frame of the step
	state Cell[hook]
}

// hook is the function that the machine is given, bound once to the memory of
// the step.
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

// OnCancel runs hook, a single step, when s is left in any way but success.
func OnCancel[In, Out any](s *Stage[In, Out], on *Stage[struct{}, struct{}]) *Stage[In, Out] {
	var n *Node
	n = NewNode[In, Out]("oncancel", func(e *Emitter) {
		o := &hooked[In, Out]{state: State[hook](e)}
		e.Then(func(e *Emitter) {
			value := e.level.value
			At(e, NewCell[struct{}](e))
			e.Inline(on.node, func(e *Emitter, s Step) {
				o.hook = s.op
				e.level.value = value
			})
		})
		holding(e, s.node, func(e *Emitter, g group[In, Out], body Held) {
			o.group = g
			e.Op(n, o, body, Held{Role: Hook, Node: on.node})
		})
	}, s.node, on.node)
	return NewStage[In, Out](n)
}
