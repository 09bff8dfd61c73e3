package op

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// carry is a step behind the steps of a stage: it combines their result with their input.
type carry[In, Out, T any] struct {
	frame.Leaf
	in   plan.Cell[In]
	mid  plan.Cell[Out]
	out  plan.Cell[T]
	both func(In, Out) T
}

func (o *carry[In, Out, T]) Exec(f *frame.Frame) frame.Verdict {
	*o.out.At(f) = o.both(*o.in.At(f), *o.mid.At(f))
	return frame.Done
}

// Carry returns s, followed by a step that combines the input and the result of s with both.
// both is never code of the user.
func Carry[In, Out, T any](kind string, s *plan.Stage[In, Out], both func(In, Out) T) *plan.Stage[In, T] {
	var n *plan.Node
	n = plan.NewNode[In, T](kind, func(e *plan.Emitter) {
		in, release := plan.Input[In](e), e.Keep()
		e.Then(func(e *plan.Emitter) {
			o := &carry[In, Out, T]{in: in, mid: plan.Input[Out](e), both: both}
			release(e)
			o.out = plan.Output[T](e)
			e.Add(plan.Step{Info: &n.Info, In: reflect.TypeFor[Out](), Out: n.Out, Op: o})
		})
		e.Emit(s.Node())
	}, s.Node()).Sequence(1)
	return plan.NewStage[In, T](n)
}
