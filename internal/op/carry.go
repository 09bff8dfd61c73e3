package op

import (
	"reflect"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Carry returns s followed by a step that combines the input of s and the result of s. both makes the result of that step
// from the two; it is never a function of the user.
func Carry[In, Out, T any](kind string, s *plan.Stage[In, Out], both func(In, Out) T) *plan.Stage[In, T] {
	n := plan.NewNode[In, T](kind, func(e *plan.Emitter, n *plan.Node) {
		in, release := plan.Input[In](e), e.Keep()
		e.Then(func(e *plan.Emitter) {
			mid := plan.Input[Out](e)
			release(e)
			out := plan.Output[T](e)
			combine := frame.Plain(func(f *frame.Frame) frame.Verdict {
				*out.At(f) = both(*in.At(f), *mid.At(f))
				return frame.Done
			})
			e.Add(plan.Step{Info: &n.Info, In: reflect.TypeFor[Out](), Out: n.Out, Op: combine})
		})
		e.Emit(s.Node())
	}, s.Node()).Sequence(1)
	return plan.NewStage[In, T](n)
}
