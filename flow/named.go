package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Named gives s a name, for errors, traces and pictures. If s is a single step, that step gets
// the name; otherwise a new step that holds the steps of s gets it. A step without a name is shown with
// the name of its function, if it has one, see Tree.Func.
func Named[In, Out any](name string, s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Named(name, op.Given(s, "Named "+name+": the stage is nil"))}
}
