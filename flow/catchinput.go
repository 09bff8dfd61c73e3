package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// CatchInput is [Catch] with a handler that is also given the input of s, as it was when s
// began. So the handler can try again, ask another service, or undo the effects of s.
//
//spec:ftn12 §1.2
func CatchInput[In, Out any](
	s step.Step[In, Out], handler func(as step.Scope, in In, err error) step.Next[Out],
) Plan[In, Out] {
	return Plan[In, Out]{op.CatchInput(op.Given(s, "CatchInput: the stage is nil"), inputHandlerStage(handler))}
}

func inputHandlerStage[In, Out any](handler func(as step.Scope, in In, err error) step.Next[Out]) *plan.Stage[op.Failed[In], Out] {
	var body func(step.Scope, op.Failed[In]) step.Next[Out]
	if handler != nil {
		body = func(as step.Scope, f op.Failed[In]) step.Next[Out] { return handler(as, f.In, f.Err) }
	}
	h := handling(body, "CatchInput: the handler is nil")
	h.Node().Calls(handler)
	return h
}
