package bench

import (
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// number is a step that takes and gives an int. Most rows are made of such steps.
type number = step.Step[int, int]

// inc is the plain step of the rows: it adds one, and might fail. The other columns call a function with the same two results.
var inc = step.Func(func(_ step.Scope, i int) (int, error) { return i + 1, nil })

// ours makes a column of plans of this library. Each operation is a whole flow.Run of a plan that was built once.
func ours(plan func(n int) number) column {
	return column{name: "asyncsteps", build: func(_ testing.TB, n int) operation {
		p := plan(n)
		return func() (int, error) { return flow.Run(background, p, 0) }
	}}
}

func times(n int, s number) number {
	all := make([]number, n)
	for i := range all {
		all[i] = s
	}
	return flow.Chain(all...)
}

// same is the want of rows that count to n.
func same(n int) int { return n }
