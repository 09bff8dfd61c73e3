package dyn

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// L1: a dynamic step leaves typed loops around it too. It knows their labels by name.
func TestL1DynamicStepLeavesTypedLoops(t *testing.T) {
	none := binval.Codec[struct{}]{}
	for _, test := range []struct {
		label string
		again bool
		turns [2]int // of the outer loop, and of the inner one in all of these
		err   error
	}{
		{"", false, [2]int{2, 3}, nil},
		{"INNER", false, [2]int{2, 3}, nil},
		{"INNER", true, [2]int{2, 4}, nil},
		{"OUTER", false, [2]int{1, 1}, nil},
		{"OUTER", true, [2]int{2, 3}, nil},
		{"NONE", false, [2]int{1, 1}, fault.InternalError},
	} {
		var turns [2]int
		twice := func(level int, label string, body step.Step[int, int]) step.Step[int, int] {
			count := step.Map(func(loopx.Iteration[int]) int { turns[level]++; return 0 })
			return loopx.Labelled(loopx.NewLabel[int](label), loopx.Repeat(2, flow.Then(count, body)))
		}
		left := false
		leaves := composed{Embed(body{run: func(s *Step, _ *Args) {
			if !left {
				left = true
				s.Leave(test.label, test.again)
			}
		}}, Code{}, &none, &none)}
		inner := flow.Then(step.Map(func(int) struct{} { return struct{}{} }),
			flow.Then(leaves, step.Map(func(struct{}) int { return 0 })))
		outer := twice(0, "OUTER", twice(1, "INNER", inner))
		if _, err := flow.Run(t.Context(), outer, 0); !errors.Is(err, test.err) || turns != test.turns {
			t.Errorf("label %q, continue is %t: %v turns, want %v; ended with %v", test.label, test.again, turns, test.turns, err)
		}
	}
}
