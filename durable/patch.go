package durable

import (
	"context"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Patch changes a step of a plan that has live runs. Runs that came to the step before the patch was deployed repeat the former
// part. New runs, and runs that come to the step later, execute the present part. A run decides once for each name (on Temporal by
// workflow.GetVersion), and again when it has begun anew, so patches of one name are decided together. Local runs, and runs that
// aren't runs of a [Workflow], execute the present part.
//
//	durable.Patch("gift wrap", ship, flow.Then(wrap, ship)) // where the plan had ship
//
// The former part must be the step that stood there, unchanged, and a single step: one with a body, or a plan in flow.Named or
// flow.Call. Its path, its activities and its keys stay as they were. Activities of the present part are named after the patch, and
// their paths contain patch.NAME. A plan that has changed in other places too is refused, as it would be without patches.
//
// Keep the patch until all runs that began before it, or with it, have ended.
//
// Errors: [Workflow.Err] reports an empty name, a name with a slash, a nil step, a former part of several steps, and a flow.Named
// that renames the patch.
func Patch[In, Out any](name string, former, present step.Step[In, Out]) flow.Plan[In, Out] {
	return flow.Of(op.Patch(name,
		op.Given(former, "durable.Patch "+name+": the former part is nil"),
		op.Given(present, "durable.Patch "+name+": the present part is nil"),
		func(ctx context.Context) bool {
			x := engine.RunOf(ctx)
			return x != nil && x.Before(name)
		}))
}
