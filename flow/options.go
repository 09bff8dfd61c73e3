package flow

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/tool"
)

// WithOptions returns a context that says how [Run] makes the private loop of a
// run: where it reports what nobody else can take, which by default slog.Default
// logs at level Error, how much it does in a turn, and its grace. It concerns
// every Run with that context or one made from it, as in steps that are given it.
// [Start] is given a loop and doesn't look at it. Call WithOptions once and keep
// the context: loops are used again only for runs under the same one. A Watchdog
// needs a goroutine and is ignored.
//
// Spec: FTN12 §2.6.
func WithOptions(ctx context.Context, o tool.Options) context.Context {
	return plan.WithOptions(ctx, o)
}
