package temporal

import (
	"slices"
	"sync/atomic"

	"go.temporal.io/sdk/workflow"
)

// remembering is a context that caches the values it was asked for, also nil ones. It is safe for concurrent use.
type remembering struct {
	workflow.Context

	known atomic.Pointer[[]valueOf]
}

type valueOf struct{ key, value any }

// remember returns a context with the values of ctx, which ends with ctx. The SDK can't tell children of the new context that it
// has ended, so give it to workflow.NewDisconnectedContext only.
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
