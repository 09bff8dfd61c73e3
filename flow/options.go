package flow

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/tool"
)

// WithOptions returns a context that sets the options of the private loops that [Run], [RunOutput] and a range over
// stream.All make: the handler of errors that have no other recipient (by default slog.Default logs them at level
// Error), how many callbacks run in a turn, the grace, and settings of the host. The options apply to every Run with
// that context or one derived from it, also in steps. [Start] is given a loop and ignores these options. Call
// WithOptions once and keep the context: runs reuse private loops only if their options come from the same call. A
// Watchdog needs a goroutine and is ignored.
//
//spec:ftn12 §2.6
func WithOptions(ctx context.Context, o tool.Options) context.Context {
	return private.WithOptions(ctx, o)
}
