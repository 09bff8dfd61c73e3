package main

import "testing"

// Each mutant in the list of explained ones must still exist: when a line changes, its explanation has to be checked
// again. To read the packages, files for a later Go are left out.
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
