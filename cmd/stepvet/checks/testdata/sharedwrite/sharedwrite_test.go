package sharedwrite

import (
	"github.com/futoin-go/asyncsteps/step"
)

// A double that counts, as tests have them.
func double() step.Step[int, int] {
	calls := 0
	return step.Map(func(int) int {
		calls++
		return calls
	})
}
