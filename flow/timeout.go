package flow

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Timeout gives s, with everything below it, at most limit. When it passes, s
// is cancelled, leaf to root, without asking its handlers: they can't swallow a
// deadline that isn't theirs. Then fault.Timeout is raised at this
// step, for handlers around it. It Is context.DeadlineExceeded too, and its
// Info says which step and how long; a step named with Named is called by name.
//
// The limit never fires early. It counts from the end of the turn of the run in which
// the step began, or from an earlier moment, so it may be late by as long as that
// turn has taken.
//
// A limit that isn't positive is reported by Plan.Err.
//
// Spec: FTN12 §1.3, §2.2.2 setTimeout; rules C3, O4.
func Timeout[In, Out any](limit time.Duration, s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Timeout(limit, op.Given(s, "Timeout: the stage is nil"))}
}

// OnCancel runs s and, if s is left in any way but success, calls hook: once,
// on the run's loop, after everything below s has been left and before error
// handlers outside are asked. A nil hook is reported by Plan.Err.
//
// Spec: FTN12 §1.3, §2.1 cancel_callback.
func OnCancel[In, Out any](s step.Step[In, Out], hook func(as step.Scope)) Plan[In, Out] {
	return Plan[In, Out]{op.OnCancel(op.Given(s, "OnCancel: the stage is nil"), hookStage(hook))}
}

// hookStage is hook as a stage, built where the caller's caller stands.
func hookStage(hook func(as step.Scope)) *plan.Stage[struct{}, struct{}] {
	var body func(step.Scope, struct{}) (struct{}, error)
	if hook != nil {
		body = func(as step.Scope, _ struct{}) (struct{}, error) {
			hook(as)
			return struct{}{}, nil
		}
	}
	h := step.Func(body).Stage()
	h.Node().Relabel("hook", "OnCancel: the hook is nil")
	h.Node().Calls(hook)
	return h
}
