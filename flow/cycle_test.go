package flow_test

import "testing"

// What can't be a method, and what the compiler says about it.
func TestNoMethodWrapsTheResult(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	golden(t, "cycle/method.want", compile(t, "testdata/cycle/method.go.txt"))
}
