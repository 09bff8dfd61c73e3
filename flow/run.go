package flow

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Run executes s with the input in and returns its result. It drives the run on the calling
// goroutine, which blocks meanwhile, so don't call it from a body that runs on a loop: use step.Into there. A body of
// step.Await, Act or Do may call it. To guards the run that such a body starts is a flow of its own: it has to wait for a
// mutex that the run of the body is inside of.
//
// ctx: its values reach the steps; its cancel cancels the run, and its deadline is a timeout for the whole run
// (fault.Timeout). After the end of ctx an error of a step.Await or a step.Done, such as ctx.Err, reaches no handler,
// except in a [Shield] or the like, or in a part that runs [On] another loop. If ctx has ended already, nothing runs.
//
// The error of a run is a *fault.Error with the path of the step that failed and the levels
// that the error passed. It wraps the error that the step returned, which errors.Is and
// errors.As find. If the plan can't be run, Run returns the error of Plan.Err. The error of a
// cancelled run Is context.Canceled and wraps context.Cause(ctx). Run returns when everything
// of the run has ended: hooks and cleanups have been called, and goroutines of step.Await, and
// what was left in a [Linger], have ended or outlived their grace.
//
// Errors that have no other recipient, like the panic of an observer or a goroutine that was
// left behind, are logged with slog.Default; see [WithOptions].
//
// Run may be called from any number of goroutines with the same s.
//
//spec:ftn12 §2.2.1 newInstance, §2.2.3 execute
func Run[In, Out any](ctx context.Context, s step.Step[In, Out], in In) (Out, error) {
	return plan.Run(ctx, given(s, "Run: the stage is nil, or the zero Plan"), in)
}
