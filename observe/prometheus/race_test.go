package prometheus_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/observe/prometheus"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestConcurrently(t *testing.T) {
	loops := tool.NewGroup(3, tool.Options{})
	metrics := prometheus.New(prometheus.Options{})
	mutex := syncx.NewMutex(2, -1)
	plan := flow.Named("plan", drop(flow.Par2(syncx.Sync(mutex, plantest.Delay("in", time.Microsecond)), flow.Timeout(time.Millisecond, plantest.Delay("", time.Millisecond)))))
	ctx := observe.With(context.Background(), metrics)
	over := make(chan step.Unit)
	var scrapers, starters sync.WaitGroup
	for range 2 {
		scrapers.Go(func() {
			for i := 0; ; i++ {
				metrics.Guard(fmt.Sprint(i%3), mutex)
				metrics.Loop(fmt.Sprint(i%4), loops.Next())
				samples(t, metrics, "runs_in_flight", "loop_lag_seconds", "queue_seconds")
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	for range 3 {
		starters.Go(func() {
			for i := range 100 {
				r := flow.Start(ctx, loops.Next(), plan, step.Unit{})
				if i%10 == 0 {
					r.Cancel(nil)
				}
				<-r.Done()
			}
		})
	}
	starters.Wait()
	close(over)
	scrapers.Wait()
	if err := loops.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := samples(t, metrics, "runs_started_total", "runs_in_flight"); fmt.Sprint(got) != `[runs_in_flight{plan="plan"} 0 runs_started_total{plan="plan"} 300]` {
		t.Errorf("at last %q", got)
	}
}
