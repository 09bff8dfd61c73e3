package op

import (
	"strings"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// One makes the stage of a single step, with the op that build returns. body is the function that the
// step calls. If body is a nil function the stage can't be run; if it is a nil interface the
// step calls no function.
func One[In, Out any](kind string, body any, build func(plan.Cell[In], plan.Cell[Out], *plan.Emitter) frame.Op) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out](kind, func(e *plan.Emitter, n *plan.Node) {
		in := plan.Input[In](e)
		e.Op(n, build(in, plan.Output[Out](e), e))
	})
	calls(n, body)
	return plan.NewStage[In, Out](n)
}

func calls(n *plan.Node, body any) {
	if body != nil && !n.Calls(body) {
		n.Reject("step." + strings.ToUpper(n.Kind[:1]) + n.Kind[1:] + ": the body is nil")
	}
}
