package flow

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Run executes s on in and gives its result. It drives the run on the calling
// goroutine, which blocks meanwhile, so don't call it from a step: use
// step.Into there.
//
// ctx: its values reach the steps; its cancel cancels the run, and its deadline
// is a timeout for all of it (fault.Timeout). If it has ended already, nothing
// runs.
//
// The error of a run is a *fault.Error with the path of the step that failed
// and what the error met on its way, around the error that the step
// returned; errors.Is and errors.As reach that one. A plan that can't be run
// gives its Plan.Err instead. A cancelled run Is
// context.Canceled and wraps context.Cause(ctx). Run ends when everything of
// the run has: hooks and cleanups have been called, and goroutines of
// step.Await have returned or outlived their grace.
//
// What nobody else can take, like the panic of an observer or a goroutine that
// was left behind, is logged with slog.Default; see [WithOptions].
//
// Run may be called from any number of goroutines with the same s. FTN12
// §2.2.1 newInstance, §2.2.3 execute.
func Run[In, Out any](ctx context.Context, s step.Step[In, Out], in In) (Out, error) {
	return plan.Run(ctx, stageOf(s, "Run: the stage is nil, or the zero Plan"), in)
}
