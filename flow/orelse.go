package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// OrElse runs s; if s fails, the result is v. It is short for a [Catch] that answers all errors alike:
//
//	stock := flow.OrElse(flow.Timeout(50*time.Millisecond, askStock), unknown)
//
// Panics, broken rules and other errors whose own code is fault.InternalError are defects of the program: OrElse
// doesn't answer them, although a handler of Catch could. The same v is given to every run: if it is a pointer or a
// map, runs share what it points to. Everything else is as for Catch.
//
//spec:ftn12 §1.2, §2.1 error_callback; rule E2
func OrElse[In, Out any](s step.Step[In, Out], v Out) Plan[In, Out] {
	answer := step.New(func(_ step.Scope, err error) step.Next[Out] {
		if op.Defect(err) {
			return step.Unwind[Out]()
		}
		return step.Succeed(v)
	}).Stage()
	answer.Node().Relabel("or else", "")
	answer.Node().Code = 0 // the function above is not the user's
	return Plan[In, Out]{op.Catch(op.Given(s, "OrElse: the stage is nil"), answer)}
}
