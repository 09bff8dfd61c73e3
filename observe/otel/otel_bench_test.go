package otel_test

import (
	"context"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
)

// BenchmarkRun measures ten plain steps: not observed, not sampled, with a span for the run, and with spans for its steps.
func BenchmarkRun(b *testing.B) {
	steps := make([]step.Step[step.Unit, step.Unit], 10)
	for i := range steps {
		steps[i] = step.Map(func(step.Unit) step.Unit { return step.Unit{} })
	}
	plan := flow.Chain(steps...)
	all, never := sdk.NewTracerProvider(), sdk.NewTracerProvider(sdk.WithSampler(sdk.NeverSample()))
	for _, c := range []struct {
		name string
		o    observe.Observer
	}{
		{"unobserved", nil},
		{"not sampled", otel.New(never, otel.Options{})},
		{"runs only", otel.New(all, otel.Options{RunsOnly: true})},
		{"steps", otel.New(all, otel.Options{})},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			ctx := observe.With(context.Background(), c.o)
			for b.Loop() {
				_, _ = flow.Run(ctx, plan, step.Unit{})
			}
		})
	}
}
