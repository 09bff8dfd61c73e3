package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Call runs s as sub-steps in pooled memory of its own, instead of copying s into each plan that uses it. It
// behaves as s does. Use it for a large plan that many others share. An engine of package durable may execute a Call
// with a name, see [Named], as a run with a history of its own.
//
//spec:ftn12 §1.5
func Call[In, Out any](s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Call(op.Given(s, "Call: the stage is nil"))}
}
