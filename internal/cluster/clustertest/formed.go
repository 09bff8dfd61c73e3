package clustertest

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// WantIllFormed checks that plans with these guards can't be run.
func WantIllFormed(t *testing.T, guards map[string]syncx.Guard) {
	t.Helper()
	for what, g := range guards {
		if err := syncx.Sync(g, step.Map(func(s string) string { return s })).Err(); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", what, err)
		}
	}
}
