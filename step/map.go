package step

import "github.com/futoin-go/asyncsteps/internal/op"

// Map makes a step of a function that can't fail and needs nothing but its
// input.
//
// body runs on the loop of the run and must not block. If it panics the step
// fails with InternalError. A nil body is reported when a plan that holds the
// step is started, before anything runs.
//
//spec:ftn12 §2.1, §2.2.1 add
func Map[In, Out any](body func(in In) Out) Step[In, Out] {
	return op.Map(body)
}
