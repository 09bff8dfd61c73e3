package draw

import (
	"slices"
	"strconv"

	"github.com/futoin-go/asyncsteps/flow"
)

// Fold returns a copy of t for a smaller picture. It folds each step for which open returns false: the copy of the step
// holds nothing, not even handlers and hooks, and has an additional parameter with the number of steps that aren't
// shown: {"folded", "12 steps"}. open is called for steps that hold steps or branches, from the outside in, but not for
// steps inside of a folded step.
//
// Fold doesn't change t. The Trees of the copy share Edges and Parameters with those of t, except the Parameters of
// folded steps, and have the same digests. Fold doesn't recurse. With a nil t it returns nil.
func Fold(t *flow.Tree, open func(*flow.Tree) bool) *flow.Tree {
	if t == nil {
		return nil
	}
	root := *t
	for todo := []*flow.Tree{&root}; len(todo) > 0; {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if at.Role == flow.RoleStep && folds(at) && !open(at) {
			steps := -1 // All includes at itself, which doesn't count
			for part := range at.All() {
				if part.Role == flow.RoleStep {
					steps++
				}
			}
			at.Parameters = append(slices.Clip(at.Parameters), flow.Parameter{Name: "folded", Value: stepCount(steps)})
			at.Holds = nil
			continue
		}
		at.Holds = slices.Clone(at.Holds)
		for i, part := range slices.Backward(at.Holds) {
			inner := *part
			at.Holds[i] = &inner
			todo = append(todo, &inner)
		}
	}
	return &root
}

// folds reports whether t holds steps or branches.
func folds(t *flow.Tree) bool { return len(t.Holds) > answersOf(t) }

func stepCount(n int) string {
	if n == 1 {
		return "1 step"
	}
	return strconv.Itoa(n) + " steps"
}
