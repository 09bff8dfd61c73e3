package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// ParEach runs s for every element of a slice, up to bound elements at a time, and returns the results in the order
// of the elements. Elements start in order. An empty slice gives an empty result. With a bound below zero, such as
// -1, all elements may be under way together; a bound of zero is reported by Plan.Err.
//
// Errors, cancellation and concurrency are those of [Par], where each element is a branch: the
// first to fail ends the others, and elements not yet started never start. The path of an
// element in errors is each.N with N its index. Each element that is under way has one of
// up to bound places, and a cancel leaves the elements in the order of their places. Elements use
// pooled memory of s, so apart from the results ParEach needs memory for bound elements, not for all.
//
//spec:ftn12 §1.4, §2.2.1 parallel
func ParEach[A, B any](bound int, s step.Step[A, B]) Plan[[]A, []B] {
	return Plan[[]A, []B]{op.Each(bound, op.Given(s, "ParEach: the stage is nil"))}
}
