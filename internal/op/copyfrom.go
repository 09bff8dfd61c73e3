package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// merge is a step that sets the state variables that the run doesn't have yet.
type merge struct {
	frame.Leaf
	vars map[string]any
}

func (o *merge) Exec(f *frame.Frame) frame.Verdict {
	f.Run().Vars().Merge(o.vars)
	return frame.Done
}

// CopyFrom returns a step that sets those state variables of a model that the run doesn't have yet, followed by s (S2).
func CopyFrom[In, Out any](s *plan.Stage[In, Out], vars map[string]any) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("copy", func(e *plan.Emitter, n *plan.Node) {
		e.Add(plan.Step{Info: &n.Info, In: n.In, Out: n.In, Op: &merge{vars: vars}})
		e.Emit(s.Node())
	}, s.Node()).Sequence(1)
	for name := range vars {
		if frame.Reserved(name) {
			n.Reject("CopyFrom: the run maintains the state variable " + name + " itself")
		}
	}
	return plan.NewStage[In, Out](n)
}
