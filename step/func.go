package step

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Func makes a step of a function that may fail: what it returns is the step's
// result. A function without a Scope is wrapped:
//
//	step.Func(func(_ step.Scope, s string) (int, error) { return strconv.Atoi(s) })
//
// body runs on the loop of the run and must not block; use [Await] for code
// that does. as is valid until the step has ended. An error fails the step and
// unwinds to the nearest handler. An error that carries no code counts as
// InternalError, see fault.CodeOf. A panic fails the step with InternalError.
// When body returns without an error, the step has succeeded: a timeout or
// cancel hook that body has set has no effect any more. A nil body is reported
// as for [Map].
//
//spec:ftn12 §1.6, §2.1, §2.2.1 add; rules E6, O3
func Func[In, Out any](body func(as Scope, in In) (Out, error)) Step[In, Out] {
	return op.One("func", body, func(in plan.Cell[In], out plan.Cell[Out], _ *plan.Emitter) frame.Op {
		return frame.Plain(func(f *frame.Frame) frame.Verdict {
			v, err := body(scopeOf(f), *in.At(f))
			if err != nil {
				return f.Fail(err)
			}
			*out.At(f) = v
			return frame.Done
		})
	})
}
