package temporal

import (
	"slices"
	"sync/atomic"

	"go.temporal.io/sdk/workflow"
)

// remembering is a context that caches the values it was asked for, nil ones included. It is safe for concurrent use.
type remembering struct {
	workflow.Context

	known atomic.Pointer[[]valueOf]
}

type valueOf struct{ key, value any }

// remember returns a context that has the values of ctx, and ends with ctx. The SDK can't tell children of the new context that it
// has ended, so use it only as the argument of workflow.NewDisconnectedContext.
func remember(ctx workflow.Context) *remembering {
	r := &remembering{Context: ctx}
	var known []valueOf
	r.known.Store(&known)
	return r
}

// Value implements workflow.Context.
func (r *remembering) Value(key any) any {
	known := *r.known.Load()
	for i := range known {
		if known[i].key == key {
			return known[i].value
		}
	}
	value := r.Context.Value(key)
	more := slices.Concat(known, []valueOf{{key, value}}) // a copy, because other goroutines may be reading known
	r.known.Store(&more)
	return value
}
