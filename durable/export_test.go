package durable

import "go.temporal.io/sdk/workflow"

// RecordOf returns the record of the plans that a run of w stores when it begins.
func RecordOf[In, Out any](w *Workflow[In, Out]) (any, error) { return w.def.stored() }

// Remember returns the context that a run makes of ctx for its activities.
func Remember(ctx workflow.Context) workflow.Context { return remember(ctx) }
