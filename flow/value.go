package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Value succeeds with v, whatever its input is. Put it after steps that are run
// for their effect. The same v is given to every run: if it is a pointer or a
// map, runs share what it points to.
//
// Spec: FTN12 §1.12, §2.2.1 successStep.
func Value[In, T any](v T) Plan[In, T] { return Plan[In, T]{op.Value[In](v)} }

// Named gives s a name, for errors, traces and pictures: to its step if it is a
// single one, otherwise to a step that holds its steps. A step without a name is called
// by its function, see Tree.Func.
func Named[In, Out any](name string, s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Named(name, op.Given(s, "Named "+name+": the stage is nil"))}
}

// Call runs s as sub-steps in memory of its own, pooled by s, instead of making
// it a part of each plan that uses it. It behaves as s does; use it for a large
// plan that many others share.
//
// Spec: FTN12 §1.5.
func Call[In, Out any](s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Call(op.Given(s, "Call: the stage is nil"))}
}
