package retry_test

import (
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

var policies = map[string]retry.Policy{
	"Zero": {},
	"Full": {
		Tries: 5, Elapsed: time.Minute, Pause: time.Second, Factor: 2, MaxPause: time.Minute, Jitter: 1,
		Budget: retry.NewBudget(0.2, 10),
	},
}

func TestFirstSuccessAllocatesNothing(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	ctx := context.Background()
	for name, p := range policies {
		plan := retry.Of(p, step.Map(func(n int) int { return n + 1 }))
		if got := testing.AllocsPerRun(100, func() { _, _ = flow.Run(ctx, plan, 1) }); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}

// A body in an attempt takes at most one allocation more than a body without a retry: the context that knows the
// attempt.
func TestContextOfAnAttempt(t *testing.T) {
	if racetest.Enabled {
		t.Skip("the race detector allocates")
	}
	body := step.Await(func(ctx context.Context, n int) (int, error) { return retry.Attempt(ctx) + n, nil })
	allocs := func(s step.Step[int, int], want int) float64 {
		return testing.AllocsPerRun(100, func() {
			if got, err := flow.Run(t.Context(), s, 1); got != want || err != nil {
				t.Error(got, err)
			}
		})
	}
	alone, tried := allocs(body, 1), allocs(retry.Of(retry.Policy{Tries: 3}, body), 2)
	if tried > alone+1 {
		t.Errorf("%v allocations in an attempt, %v without", tried, alone)
	}
}

func BenchmarkFirstSuccess(b *testing.B) {
	for name, p := range policies {
		plan := retry.Of(p, step.Map(func(n int) int { return n + 1 }))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = flow.Run(context.Background(), plan, 1)
			}
		})
	}
}
