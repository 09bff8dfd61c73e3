package planlaws_test

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/planlaws"
	"github.com/futoin-go/asyncsteps/step"
)

// An error that would come from a step.Await after the step was left isn't lost.
func TestErrorOfLeftAwait(t *testing.T) {
	planlaws.Check(t, planlaws.Subject[int, int]{
		Inputs: 1,
		Plan: func(w *world) plan {
			ask := step.Await(func(_ context.Context, in int) (int, error) { return in, w.Call("ask") })
			return flow.First(ask, step.Map(func(in int) int { return in }))
		},
	})
}
