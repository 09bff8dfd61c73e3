package observe_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
)

// BenchmarkObservers measures a step that does nothing and has two events.
func BenchmarkObservers(b *testing.B) {
	const steps = 1000
	plan := loopx.Repeat(steps, step.Map(func(loopx.Iteration[step.Unit]) step.Unit { return step.Unit{} }))
	for _, c := range []struct {
		name string
		o    observe.Observer
	}{
		{"none", nil},
		{"nobody wants to know", observe.Log(slog.New(slog.DiscardHandler), slog.LevelInfo)},
		{"trace not taken", observe.Trace()},
		{"func", observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
			return ctx, func(observe.Event) {}
		})},
		{"flight", observe.Flight(64)},
		{"profile", observe.Profile()},
		{"recorder", observe.NewRecorder(10 * steps)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			ctx := observe.With(b.Context(), c.o)
			for b.Loop() {
				_, _ = flow.Run(ctx, plan, step.Unit{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/steps, "ns/step")
		})
	}
}
