package private_test

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// A private loop that waits for its next run doesn't refer to the last one, nor to its context.
func TestIdleLoopHoldsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(private.WithOptions(t.Context(), tool.Options{}))
	defer cancel()
	asking := step.Func(func(as step.Scope, it loopx.Iteration[int]) (int, error) {
		as.Loop()
		return it.Carry, nil
	})
	if _, err := flow.Run(ctx, loopx.Repeat(1000, asking), 1); err != nil { // several turns
		t.Fatal(err)
	}
	if run, of, ok := private.Idle(ctx); ok && (run != nil || of != nil) { // with the race detector a pool drops some
		t.Errorf("it refers to the run %v and the context %v", run, of)
	}
}
