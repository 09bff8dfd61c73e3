package step_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
)

// goroutines returns how many goroutines have called the bodies of twenty steps in sequence, on one processor.
func goroutines(t *testing.T, ctx context.Context) int { //nolint:revive // t first, as everywhere
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	seen := make(map[uint64]bool)
	body := step.Do(func(context.Context, int) error {
		seen[goid.Number()] = true
		return nil
	})
	stages := make([]step.Step[int, int], 20)
	for i := range stages {
		stages[i] = body
	}
	if _, err := flow.Run(ctx, flow.Chain(stages...), 0); err != nil {
		t.Fatal(err)
	}
	return len(seen)
}

// Bodies share goroutines, unless the run is observed.
func TestAwaitUsesGoroutinesAgain(t *testing.T) {
	if n := goroutines(t, t.Context()); n > 10 {
		t.Errorf("20 bodies were called on %d goroutines", n)
	}
	if n := goroutines(t, observe.With(t.Context(), observe.Func(watchNothing))); n != 20 {
		t.Errorf("20 bodies of an observed run were called on %d goroutines", n)
	}
}

func watchNothing(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
	return ctx, func(observe.Event) {}
}
