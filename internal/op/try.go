package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// try is a step that turns the result or the error of its sub-steps into a value.
type try[In, Out, T any] struct {
	group[In, T]
	of func(Out, error) T
}

func (o *try[In, Out, T]) Resume(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = o.of(*plan.OutputOf[Out](f.Ended()), nil)
	return frame.Done
}

func (o *try[In, Out, T]) Handle(f *frame.Frame, err error) frame.Verdict {
	var none Out
	*o.out.At(f) = o.of(none, err)
	return frame.Done
}

// Try runs s and passes its result, or its error, to convert, which returns the result of the step.
func Try[In, Out, T any](s *plan.Stage[In, Out], convert func(Out, error) T) *plan.Stage[In, T] {
	n := plan.NewNode[In, T]("try", func(e *plan.Emitter, n *plan.Node) {
		plan.Level[In](e, s.Node(), func(e *plan.Emitter, level plan.Emitted) {
			in := plan.Input[In](e)
			o := &try[In, Out, T]{group: group[In, T]{body: level.Level, in: in, out: plan.Output[T](e)}, of: convert}
			e.Op(n, o, plan.Held{Role: plan.Body, Node: s.Node(), Steps: level.Steps})
		})
	}, s.Node())
	n.Handled = true
	return plan.NewStage[In, T](n)
}
