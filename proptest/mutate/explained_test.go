package main

import "testing"

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
	survives := map[string]bool{}
	for _, m := range all {
		survives[explanation(m)] = true
	}
	for _, e := range explained {
		if !survives[e.why] {
			t.Errorf("%s has no mutant of %q in %s", e.file, e.old, e.function)
		}
	}
}
