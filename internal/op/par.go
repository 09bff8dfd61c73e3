package op

import (
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Fork runs branches in parallel, each with the same input. join makes the result of the step
// from their results.
func Fork[In, Out any](kind string, nodes []*plan.Node, join func(Results) Out) *plan.Stage[In, Out] {
	return Race[In](kind, Terms{}, nodes, join)
}
