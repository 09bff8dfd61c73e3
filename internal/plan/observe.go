package plan

import (
	"context"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Observer is asked about each run that is started with the context it is in:
// it gives the run's context and what is told of the run, nil for nothing. host
// takes what goes wrong in it. n is the plan.
type Observer func(ctx context.Context, host *tool.Host, n *Node) (context.Context, frame.Watch)

type observerKey struct{}

// observing says that there is an Observer in some context: until then, no run
// has to search its own.
var observing atomic.Bool

// WithObserver gives ctx an Observer in place of the former one.
func WithObserver(ctx context.Context, o Observer) context.Context {
	observing.Store(true)
	return context.WithValue(ctx, observerKey{}, o)
}
