package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// suite is a part of the tests of a package.
type suite struct {
	name  string
	pkg   string
	flags []string
	limit time.Duration // a mutant that takes longer counts as an endless loop
}

// suites are the tests that are run against mutants, first those that kill most in the least time. Tests of scale,
// which take seconds and find what others find, are left out; so are those of the compiler's messages.
var suites = []suite{
	{name: "queue", pkg: "internal/queue", flags: []string{"-test.short"}},
	{name: "goid", pkg: "internal/goid"},
	{name: "tool", pkg: "tool", flags: []string{"-test.short"}},
	{name: "tooltest", pkg: "tool/tooltest"},
	{name: "frame", pkg: "internal/frame"},
	{name: "guard", pkg: "internal/guard"},
	{name: "plan", pkg: "internal/plan"},
	{name: "op", pkg: "internal/op"},
	{name: "step", pkg: "step"},
	{name: "dyn", pkg: "internal/dyn"},
	{name: "loopx", pkg: "loopx"},
	{name: "retry", pkg: "retry"},
	{name: "share", pkg: "share"},
	{name: "stream", pkg: "stream"},
	{name: "flow", pkg: "flow", flags: []string{"-test.skip=" + slow + "|" + large}},
	{name: "syncx", pkg: "syncx", flags: []string{"-test.skip=" + slow}},
	{name: "observe", pkg: "observe"},
	{name: "cabi", pkg: "binval/cabi"},
	{name: "proptest", pkg: "proptest", flags: []string{"-conformance.seeds=1"}},
	{name: "laws", pkg: "proptest/laws", flags: []string{"-rapid.checks=150", "-rapid.shrinktime=1ms", "-rapid.nofailfile"}},
	{name: "flow slow", pkg: "flow", flags: []string{"-test.run=" + slow}},
	{name: "syncx slow", pkg: "syncx", flags: []string{"-test.run=" + slow}},
}

const (
	slow  = "^(TestLives|TestRace.*|TestStress.*|TestO7)$"
	large = "^(Test.*LargePlans|TestDeepPlans|TestLongPlans|TestManyRuns|TestMismatch)$"
)

// named returns the suites with the given names, with commas between them; all for "".
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

// packages returns the packages of the suites, each once.
func packages(suites []suite) []string {
	var all []string
	for _, s := range suites {
		if !slices.Contains(all, s.pkg) {
			all = append(all, s.pkg)
		}
	}
	return all
}

// sound returns the suites that pass without any mutant: a suite that fails anyway proves nothing. It also measures
// them, for their limits.
func (b build) sound() (kept []suite) {
	for _, s := range b.suites {
		s.limit = 5 * time.Minute                                                  // the machine may be busy
		cmd := exec.CommandContext(context.Background(), "sh", "-c", b.command(s)) //nolint:gosec // our own test binary
		if out, err := cmd.CombinedOutput(); err != nil {
			fmt.Printf("%s fails without mutants, so it is left out:\n%s", s.name, out)
			continue
		}
		took := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		s.limit = 15*time.Second + 5*took.Round(time.Second)
		kept = append(kept, s)
	}
	return kept
}

// command returns the shell command that runs s. It limits the memory of the tests.
func (b build) command(s suite) string {
	return fmt.Sprintf("(cd %s; ulimit -v 4000000; exec %s -test.failfast -test.count=1 -test.timeout=%v '%s')",
		s.pkg, b.binary(s.pkg), s.limit, strings.Join(s.flags, "' '"))
}
