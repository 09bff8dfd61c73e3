package flow_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// O4: which branch goes next depends on how many steps were taken, and not on where turns end, which the clock decides.
func TestO4TheClockDecidesNoOrder(t *testing.T) {
	tests := []struct {
		name     string
		branches int
		first    int // steps of each branch before the step with sub-steps; that one is a step more of the 100
		inside   int // sub-steps
		want     string
	}{
		{"two steps in a step", 2, 1, 2, "1 1a×2 2 2a×2"},
		// Each step counts, and the end of a level.
		{"a branch goes to the back after 100 steps", 2, 102, 0, "1×100 2×100 1×2 2×2"},
		{"and again", 3, 210, 0, "1×100 2×100 3×100 1×100 2×100 3×100 1×10 2×10 3×10"},
		{"also in sub-steps", 2, 60, 60, "1×60 1a×39 2×60 2a×39 1a×21 2a×21"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, took := range []time.Duration{0, 50 * time.Microsecond, 3 * time.Millisecond} {
				for _, turn := range []int{1, 2, 3, 7, 99, 100, 101, 1000} {
					var now time.Duration
					said, plan := branches(test.branches, test.first, test.inside, func() { now += took })
					clock := tool.WithClock(func() time.Duration { return now })
					l := manualClock{tooltest.New(), tool.NewHost(tool.TurnLimits{Steps: turn}, clock)}
					run := flow.Start(t.Context(), l, plan, none{})
					l.Run()
					if _, err := run.Result(); err != nil {
						t.Fatal(err)
					}
					if got := said(); got != test.want {
						t.Fatalf("steps of %v, turns of %d steps: %s, want %s", took, turn, got, test.want)
					}
				}
			}
			said, plan := branches(test.branches, test.first, test.inside, func() {})
			if _, err := flow.Run(t.Context(), plan, none{}); err != nil {
				t.Fatal(err)
			}
			if got := said(); got != test.want {
				t.Errorf("without a loop: %s, want %s", got, test.want)
			}
		})
	}
}

// branches makes a plan of n branches. A branch takes first steps, and then, unless inside is 0, a step with inside
// sub-steps. The first steps and the sub-steps call each. said tells their order.
func branches(n, first, inside int, each func()) (said func() string, plan step.Step[none, []none]) {
	var steps []string
	tell := func(name string, times int) []step.Step[none, none] {
		say := step.Map(func(none) none { each(); steps = append(steps, name); return none{} })
		return slices.Repeat([]step.Step[none, none]{say}, times)
	}
	all := make([]step.Step[none, none], n)
	for i := range all {
		name := strconv.Itoa(i + 1)
		all[i] = flow.Chain(tell(name, first)...)
		if inside > 0 {
			inner := flow.Chain(tell(name+"a", inside)...)
			all[i] = flow.Then(all[i], step.New(func(as step.Scope, in none) step.Next[none] { return step.Into(as, inner, in) }))
		}
	}
	said = func() string {
		var lines []string
		for len(steps) > 0 {
			times := 1
			for times < len(steps) && steps[times] == steps[0] {
				times++
			}
			line := steps[0]
			if times > 1 {
				line += fmt.Sprint("×", times)
			}
			lines, steps = append(lines, line), steps[times:]
		}
		return strings.Join(lines, " ")
	}
	return said, flow.Par(all...)
}
