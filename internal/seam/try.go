package seam

import "github.com/futoin-go/asyncsteps/internal/frame"

// try is a step whose sub-steps may fail: it makes a value of their error.
type try[In, Out, T any] struct {
	group[In, T]
	of func(Out, error) T
}

func (o *try[In, Out, T]) Resume(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = o.of(*result[Out](f.Ended()), nil)
	return frame.Done
}

func (o *try[In, Out, T]) Handle(f *frame.Frame, err error) frame.Verdict {
	var none Out
	*o.out.At(f) = o.of(none, err)
	return frame.Done
}

// Try runs s, and gives what of makes of its result or of its error.
func Try[In, Out, T any](s *Stage[In, Out], of func(Out, error) T) *Stage[In, T] {
	var n *Node
	n = NewNode[In, T]("try", func(e *Emitter) {
		Level[In](e, s.node, func(e *Emitter, level Emitted) {
			in := Input[In](e)
			o := &try[In, Out, T]{group: group[In, T]{body: level.Level, in: in, out: Output[T](e)}, of: of}
			e.Op(n, o, Held{Body, s.node, level.Steps})
		})
	}, s.node)
	n.handled = true
	return NewStage[In, T](n)
}
