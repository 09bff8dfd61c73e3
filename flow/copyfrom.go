package flow

import (
	"maps"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Model is a plan together with state variables that its steps expect. The spec keeps models
// in a repository and copies one for each request.
//
//spec:ftn12 §1.5, §2.2.1 copyFrom
type Model[In, Out any] struct {
	// Steps is the plan. Nil is reported by Plan.Err of the plan that copies it.
	Steps step.Step[In, Out]
	// State holds the variables. The values themselves are shared by all runs.
	State map[string]any
}

// CopyFrom returns a plan that sets those state variables of m that the run doesn't have yet, and then runs the
// steps of m. The map is copied when CopyFrom is called. Plan.Err reports a variable that the run maintains
// itself, such as step.ErrorInfo.
//
//spec:ftn12 §1.5, §2.2.1 copyFrom; rule S2
func CopyFrom[In, Out any](m Model[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.CopyFrom(op.Given(m.Steps, "CopyFrom: the model has no steps"), maps.Clone(m.State))}
}
