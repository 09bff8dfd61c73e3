package durable

// RecordOf returns the record of the plans that a run of w stores when it begins.
func RecordOf[In, Out any](w *Workflow[In, Out]) (any, error) { return w.def.stored() }
