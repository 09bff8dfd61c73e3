package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// On runs s on the loop of g that has the fewest runs, so that its steps can use another processor. Put it
// around tasks, branches of [Par] or parts of a plan that compute for a while: the way to another loop and
// back takes time.
//
//	squares := flow.ParEach(1000, flow.On(group, square))
//
// s is a run of its own there. It gets the input, and the values and the deadline of the context of the step. The
// number of the attempt, if the step is part of a retry, and a [Grace] around the step count in s too. s doesn't
// share the state of the run, and its steps execute at the same time as other steps of the run: variables that both use
// need a lock. To guards s is a flow of its own, as a branch is; a circle of flows that wait for each other's mutexes is
// found across loops. In the plan and its pictures s is one part among others, while observers see two runs. A break
// or continue doesn't leave s. An [Undo] or [Tasks.Go] in s doesn't find a [Saga] or a group around the step: it
// fails with InternalError. Plan.Err reports such an Undo, unless a body enters it with step.Into. It can't report a
// Tasks.Go, because Plan.Err doesn't know what bodies call. If the loop of the step takes work (tool.WithWork) or is
// deterministic (tool.WithDeterministic), as in workflows of package durable, s runs on that loop, and g isn't used.
//
// Errors: those of s, with the path from the root of the whole plan. Handlers around the step are given the same
// errors as without On. If the loop refuses the run, because g is being shut down, the step fails with an error that
// Is tool.ErrShutdown. Steps of runs on loops of g are refused only when the patience of the shutdown has ended. A nil
// g or s is reported by Plan.Err.
//
// Cancellation: whatever leaves the step cancels the run of s and waits for its end, without
// the limit of a grace. An error of that run is then secondary to what leaves the step.
//
//spec:ftn12 §1.4, §2.2.1 parallel, §2.6; rules P9, M10
func On[In, Out any](g *tool.Group, s step.Step[In, Out]) Plan[In, Out] {
	return on(g, op.Given(s, "On: the stage is nil"))
}

func on[In, Out any](g *tool.Group, s *plan.Stage[In, Out]) Plan[In, Out] {
	bad := ""
	if g == nil {
		bad = "On: the group is nil"
	}
	return Plan[In, Out]{op.On(func() tool.Tool { return g.Next() }, bad, s)}
}
