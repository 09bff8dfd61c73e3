package flow_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/racetest"
)

// Functions whose result type contains the plan's own type can't be methods: the compiler reports an instantiation
// cycle.
func TestNoMethodWrapsTheResult(t *testing.T) {
	if testing.Short() || racetest.Enabled {
		t.Skip("runs the compiler")
	}
	golden(t, "cycle/method.want", compile(t, "testdata/cycle/method.go.txt"))
}
