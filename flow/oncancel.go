package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// OnCancel runs s. If s is left in any way but success, it calls hook once,
// on the run's loop, after everything inside of s has been left and before error
// handlers outside are asked. A nil hook is reported by Plan.Err.
//
//spec:ftn12 §1.3, §2.1 cancel_callback
func OnCancel[In, Out any](s step.Step[In, Out], hook func(as step.Scope)) Plan[In, Out] {
	return Plan[In, Out]{op.OnCancel(op.Given(s, "OnCancel: the stage is nil"), hookStage(hook))}
}

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
