package main

import "testing"

// What is explained must be there to be explained: code changes, and a reason
// that was good for one line isn't for the next. That the packages can be read at
// all takes leaving out the files for a later Go.
func TestExplainedMutantsExist(t *testing.T) {
	var all []*mutant
	for _, dir := range []string{"internal/frame", "internal/guard", "internal/plan", "internal/op", "internal/dyn", "step", "flow", "loopx", "syncx", "tool", "internal/queue", "retry", "share", "stream"} {
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
