package plan

import (
	"context"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Observer is called before this package begins a run of n under ctx, a context that holds the Observer. It returns the
// context of the run, and the watch of the run, nil for none. It reports its own failures to host.
type Observer func(ctx context.Context, host *tool.Host, n *Node) (context.Context, frame.Watch)

type observerKey struct{}

// observing is set once any context has an Observer: before that, no run has to search its
// context.
var observing atomic.Bool

// WithObserver returns ctx with an Observer, in place of the former one.
func WithObserver(ctx context.Context, o Observer) context.Context {
	observing.Store(true)
	return context.WithValue(ctx, observerKey{}, o)
}
