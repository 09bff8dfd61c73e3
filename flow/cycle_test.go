package flow_test

import "testing"

// Functions whose result type contains the plan's own type can't be methods: the compiler reports an instantiation
// cycle.
func TestNoMethodWrapsTheResult(t *testing.T) {
	if testing.Short() || underRace {
		t.Skip("runs the compiler")
	}
	golden(t, "cycle/method.want", compile(t, "testdata/cycle/method.go.txt"))
}
