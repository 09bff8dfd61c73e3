package durable

import (
	"slices"

	"go.temporal.io/sdk/workflow"
)

// RecordOf returns the record of the plans that a run of w stores when it begins.
func RecordOf[In, Out any](w *Workflow[In, Out]) (any, error) { return w.def.stored() }

// CallID returns the id of the activity in which a run of w calls the body of that name; call is the key of the call without the id of the run.
func CallID[In, Out any](w *Workflow[In, Out], name, call string) string {
	i := slices.IndexFunc(w.def.known, func(k known) bool { return k.name == name })
	return call + versioned(w.def.known[i].version)
}

// Remember returns the context that a run makes of ctx for its activities.
func Remember(ctx workflow.Context) workflow.Context { return remember(ctx) }
