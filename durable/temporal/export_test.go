package temporal

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

// Stored returns the record of plans that a run of w stores when it begins.
func (w Workflow) Stored() (any, error) { return w.d.Stored() }

// CallID returns the id of the activity in which a run of w calls the body with that name; call is the key without the id of the run.
func (w Workflow) CallID(name, call string) string {
	i := slices.IndexFunc(w.d.Known, func(k engine.Known) bool { return k.Name == name })
	return call + engine.Versioned(w.d.Known[i].Version)
}

func Remember(ctx workflow.Context) workflow.Context { return remember(ctx) }
