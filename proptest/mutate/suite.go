package main

import (
	"fmt"
	"slices"
	"strings"
)

type suite struct {
	name  string
	pkg   string
	flags []string
}

// suites lists the tests that are run against mutants. Tests of scale, which take long, and tests of the compiler's messages
// are left out.
var suites = []suite{
	{name: "queue", pkg: "internal/queue", flags: []string{"-test.short"}},
	{name: "goid", pkg: "internal/goid"},
	{name: "tool", pkg: "tool", flags: []string{"-test.short"}},
	{name: "tooltest", pkg: "tool/tooltest"},
	{name: "frame", pkg: "internal/frame"},
	{name: "guard", pkg: "internal/guard"},
	{name: "private", pkg: "internal/private"},
	{name: "plan", pkg: "internal/plan"},
	{name: "clock", pkg: "internal/clock"},
	{name: "mapkey", pkg: "internal/mapkey"},
	{name: "op", pkg: "internal/op"},
	{name: "step", pkg: "step"},
	{name: "dyn", pkg: "internal/dyn"},
	{name: "loopx", pkg: "loopx"},
	{name: "retry", pkg: "retry"},
	{name: "share", pkg: "share"},
	{name: "stream", pkg: "stream"},
	{name: "flow", pkg: "flow", flags: []string{"-test.skip=^(Test.*LargePlans|TestDeepPlans|TestLongPlans|TestManyRuns|TestMismatch)$"}},
	{name: "syncx", pkg: "syncx"},
	{name: "observe", pkg: "observe"},
	{name: "cabi", pkg: "binval/cabi"},
	{name: "proptest", pkg: "proptest", flags: []string{"-conformance.seeds=1"}},
	{name: "laws", pkg: "proptest/laws", flags: []string{"-rapid.checks=150", "-rapid.shrinktime=1ms", "-rapid.nofailfile"}},
}

// named returns the suites of a list of names with commas between them. For "" it returns all suites.
func named(names string) ([]suite, error) {
	if names == "" {
		return suites, nil
	}
	var found []suite
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(suites, func(s suite) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no suite %q", name)
		}
		found = append(found, suites[i])
	}
	return found, nil
}
