package prometheus_test

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/prometheus"
	"github.com/futoin-go/asyncsteps/step"
)

// BenchmarkRun measures ten plain steps: without a collector, with one, and with one that times the steps.
func BenchmarkRun(b *testing.B) {
	plan := func(name string) flow.Plan[step.Unit, step.Unit] {
		steps := make([]step.Step[step.Unit, step.Unit], 10)
		for i := range steps {
			steps[i] = flow.Named(name, step.Map(func(step.Unit) step.Unit { return step.Unit{} }))
		}
		return flow.Chain(steps...)
	}
	for _, c := range []struct {
		name string
		o    observe.Observer
		plan flow.Plan[step.Unit, step.Unit]
	}{
		{"unobserved", nil, plan("")},
		{"no names", prometheus.New(prometheus.Options{}), plan("")},
		{"ten names", prometheus.New(prometheus.Options{}), plan("step")},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			ctx := observe.With(context.Background(), c.o)
			for b.Loop() {
				_, _ = flow.Run(ctx, c.plan, step.Unit{})
			}
		})
	}
}
