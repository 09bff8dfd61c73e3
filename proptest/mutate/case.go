package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// testCase is one test, example or fuzz target of a suite.
type testCase struct {
	suite suite
	name  string
	took  time.Duration
	note  string       // the file from which met is read
	met   map[int]bool // the mutants whose switches the test reaches; nil if the test fails without a mutant
}

// cases runs each test of the suites in b alone, without a mutant, and records which mutants of b it reaches. Tests that fail
// without a mutant are left out.
func (b build) cases(ctx context.Context, workers int) ([]testCase, error) {
	var all []testCase
	for _, s := range b.suites {
		list := exec.CommandContext(ctx, b.binary(s.pkg), "-test.list=^(Test|Example|Fuzz)") //nolint:gosec // our own test binary
		list.Dir = s.pkg
		names, err := list.Output()
		if err != nil {
			return nil, err
		}
		for name := range strings.FieldsSeq(string(names)) {
			all = append(all, testCase{suite: s, name: name, note: filepath.Join(b.dir, "met"+strconv.Itoa(len(all)))})
		}
	}
	all, err := flow.Run(ctx, flow.ParEach(workers, step.Await(b.meet)), all)
	return slices.DeleteFunc(all, func(c testCase) bool { return c.met == nil }), err
}

// meet runs c alone, and returns it with the mutants that it has met. If c fails, met is nil.
func (b build) meet(ctx context.Context, c testCase) (testCase, error) {
	alone, limit := []testCase{c}, 5*time.Minute // a busy machine takes long
	result := b.run(ctx, alone, limit, "MUTANTS_MET="+c.note)
	if !result.passed { // a test that counts allocations may count those of the record
		result = b.run(ctx, alone, limit)
	}
	if err := context.Cause(ctx); err != nil {
		return c, err
	}
	if !result.passed {
		fmt.Printf("%s of %s fails without mutants, so it is left out:\n%s", c.name, c.suite.name, result.output)
		return c, nil
	}
	text, err := os.ReadFile(c.note)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return c, err
	}
	met, err := numbers(string(text))
	if err != nil {
		return c, err
	}
	c.took, c.met = result.took, map[int]bool{}
	for _, n := range met {
		c.met[n] = true
	}
	return c, nil
}

type result struct {
	output []byte
	took   time.Duration // processor time, which hardly depends on other programs
	passed bool
}

// run runs tests of one suite, with env added to the environment. It limits their memory and, by limit, their time.
func (b build) run(ctx context.Context, tests []testCase, limit time.Duration, env ...string) result {
	s := tests[0].suite
	names := make([]string, len(tests))
	for i, c := range tests {
		names[i] = c.name
	}
	args := append([]string{"-c", `ulimit -v 4000000; exec "$0" "$@"`, b.binary(s.pkg), "-test.failfast", "-test.count=1",
		"-test.timeout=" + limit.String(), "-test.run=^(" + strings.Join(names, "|") + ")$"}, s.flags...)
	cmd := exec.CommandContext(ctx, "sh", args...) //nolint:gosec // our own test binary
	cmd.Dir = s.pkg
	cmd.Env = append(os.Environ(), env...)
	output, err := cmd.CombinedOutput()
	var took time.Duration
	if p := cmd.ProcessState; p != nil {
		took = p.UserTime() + p.SystemTime()
	}
	return result{output, took, err == nil}
}

// batch holds the tests of one suite and class that reach a mutant.
type batch struct {
	suite string
	class int
	tests []testCase
	took  time.Duration
}

// classes holds the longest time of a test in each class. The last class, after these, has no bound.
var classes = []time.Duration{30 * time.Millisecond, 300 * time.Millisecond, 3 * time.Second}

// batches returns the tests that reach mutant n, the quickest class first.
func batches(all []testCase, n int) (found []batch) {
	for _, c := range all {
		if !c.met[n] {
			continue
		}
		class, _ := slices.BinarySearch(classes, c.took)
		k := slices.IndexFunc(found, func(b batch) bool { return b.suite == c.suite.name && b.class == class })
		if k < 0 {
			k = len(found)
			found = append(found, batch{suite: c.suite.name, class: class})
		}
		found[k].tests = append(found[k].tests, c)
		found[k].took += c.took
	}
	slices.SortStableFunc(found, func(x, y batch) int {
		return cmp.Or(cmp.Compare(x.class, y.class), cmp.Compare(x.took, y.took))
	})
	return found
}
