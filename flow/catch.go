package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Catch runs s; if it fails, handler decides how to go on:
//
//   - step.Succeed: the error is handled, and the value is the result;
//   - step.Fail: another error goes outwards, never back to this handler;
//   - step.Unwind, or the zero Next: the same error goes on outwards;
//   - step.Into, step.Wait: the sub-steps or the wait take the place of s. If they fail, their
//     error goes outwards: this handler isn't asked again;
//   - loopx.Break, loopx.Continue and the like: a loop around the step is left or continued.
//
// The handler is called at most once per execution, on the run's loop, with the scope of the step that
// has the handler. It gets the error that was raised. If hooks, cleanups or siblings have added errors on
// the way, it gets a fault.Error that wraps the raised error; use errors.Is with fault.Timeout and the
// other codes. A cancel of the run asks no handler.
//
// Order: if s is a single step without a handler, Catch gives s the handler. When s fails, first its timer
// is stopped, then its cancel hook runs, then the handler, then the cleanups of its stack. Otherwise Catch
// is a step that holds the steps of s as sub-steps, and each of these is left entirely before the handler
// is asked. A nil handler is reported by Plan.Err.
//
//spec:ftn12 §1.2, §1.2.1, §2.1 error_callback; rules C1, E1
func Catch[In, Out any](s step.Step[In, Out], handler func(as step.Scope, err error) step.Next[Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Catch(op.Given(s, "Catch: the stage is nil"), handlerStage(handler))}
}

func handlerStage[Out any](handler func(as step.Scope, err error) step.Next[Out]) *plan.Stage[error, Out] {
	return handling(handler, "Catch: the handler is nil")
}

func handling[Given, Out any](body func(step.Scope, Given) step.Next[Out], missing string) *plan.Stage[Given, Out] {
	h := step.New(body).Stage()
	h.Node().Relabel("handler", missing)
	return h
}
