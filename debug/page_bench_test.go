package debug_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/debug"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// crowd returns a Handler with n live runs. If wide, a run has many branches that wait inside of a guard; otherwise it waits in
// the last of as many steps.
func crowd(n, steps int, wide bool) *debug.Handler {
	loop := tooltest.New()
	h := debug.New(debug.Options{Hosts: hosts, Live: n, Clock: loop.Now})
	door := syncx.NewMutex(n, 0)
	h.Guard("door", door)
	plan := flow.Of(plantest.Delay("last", time.Hour))
	if wide {
		branches := make([]step.Step[step.Unit, step.Unit], steps)
		for i := range branches {
			branches[i] = plantest.Delay("branch", time.Hour)
		}
		plan = syncx.Sync(door, drop(flow.Par(branches...)))
	} else {
		for range steps - 1 {
			plan = flow.Then(flow.Of(plantest.Named("work", nil)), plan)
		}
	}
	plan = flow.Named("crowd", plan)
	for i := range n {
		ctx := observe.WithAttrs(observe.With(context.Background(), h), slog.Int("order", i))
		flow.Start(ctx, loop, plan, step.Unit{})
	}
	loop.Advance(time.Second)
	return h
}

// BenchmarkPage measures pages with 1,000 live runs of 1,000 steps and with 10,000 small ones.
func BenchmarkPage(b *testing.B) {
	for _, c := range []struct {
		name        string
		runs, steps int
		wide        bool
	}{{"1000x1000live", 1000, 1000, true}, {"1000x1000done", 1000, 1000, false}, {"10000x10", 10_000, 10, true}} {
		h := crowd(c.runs, c.steps, c.wide)
		first := debug.FirstRun(h)
		for _, page := range []string{
			"index", "index?step=branch", "index?attr=order%3D77&state=suspended", "plans", "steps?sort=p99", "guards", fmt.Sprintf("run?id=%d", first),
		} {
			b.Run(c.name+"/"+page, func(b *testing.B) {
				req := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/"+page, http.NoBody)
				for b.Loop() {
					w := httptest.NewRecorder()
					if h.ServeHTTP(w, req); w.Code != http.StatusOK {
						b.Fatal(w.Code, w.Body)
					}
				}
			})
		}
	}
}
