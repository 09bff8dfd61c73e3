package prometheus_test

import (
	"context"
	"fmt"
	"time"

	prom "github.com/prometheus/client_golang/prometheus"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/prometheus"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Three orders wait for a desk that serves one at a time, each for a minute.
func ExampleCollector() {
	metrics, registry := prometheus.New(prometheus.Options{}), prom.NewRegistry()
	registry.MustRegister(metrics) // in a program, served by promhttp.HandlerFor(registry, …)

	desk, loop := syncx.NewMutex(1, 10), tooltest.New()
	metrics.Guard("desk", desk)
	order := flow.Named("order", syncx.Sync(desk, plantest.Delay("serve", time.Minute)))
	ctx := observe.With(context.Background(), metrics)
	for range 3 {
		flow.Start(ctx, loop, order, step.Unit{})
	}
	loop.Advance(90 * time.Second)

	families, err := registry.Gather()
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range families {
		m := f.GetMetric()[0]
		switch f.GetName() {
		case "asyncsteps_runs_in_flight", "asyncsteps_guard_inside", "asyncsteps_guard_queued":
			fmt.Println(f.GetName(), m.GetLabel()[0].GetValue(), m.GetGauge().GetValue())
		case "asyncsteps_step_duration_seconds", "asyncsteps_queue_seconds":
			fmt.Println(f.GetName(), m.GetLabel()[0].GetValue(), m.GetHistogram().GetSampleSum())
		}
	}
	// Output:
	// asyncsteps_guard_inside desk 1
	// asyncsteps_guard_queued desk 1
	// asyncsteps_queue_seconds desk 60
	// asyncsteps_runs_in_flight order 2
	// asyncsteps_step_duration_seconds order 60
}
