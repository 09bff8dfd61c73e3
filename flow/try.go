package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Result is the outcome of a stage: a value or an error.
type Result[T any] struct {
	Value T
	Err   error // nil if the stage has succeeded with Value
}

// Try runs s and returns the result of s, or its error, as a value. With
//
//	flow.ParEach(8, flow.Try(s))
//
// the error of one element doesn't end the others, and each has its value or its error.
//
// Err is the error that a handler would be given (see [Catch]); a panic becomes an
// InternalError. A cancel, a limit around the step, a break and a continue are not errors of
// s: Try doesn't catch them.
//
//spec:ftn12 §1.2, §2.2.1; rules C1, C3, L1
func Try[In, Out any](s step.Step[In, Out]) Plan[In, Result[Out]] {
	return Plan[In, Result[Out]]{op.Try(op.Given(s, "Try: the stage is nil"), func(v Out, err error) Result[Out] {
		return Result[Out]{v, err}
	})}
}
