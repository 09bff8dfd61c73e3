package main

import (
	"slices"
	"testing"
)

// TestExplainedMutantsExist checks that each explanation is that of a mutant: when a line changes, it must be reviewed.
func TestExplainedMutantsExist(t *testing.T) {
	var all []*mutant
	for _, dir := range []string{"internal/frame", "internal/guard", "internal/private", "internal/plan", "internal/op", "internal/dyn", "step", "flow", "loopx", "syncx", "tool", "internal/queue", "retry", "share", "stream"} {
		found, err := scan("../../" + dir)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	for _, e := range explained {
		if !slices.ContainsFunc(all, e.explains) {
			t.Errorf("%s has no mutant of %q in %s", e.file, e.old, e.function)
		}
	}
}
