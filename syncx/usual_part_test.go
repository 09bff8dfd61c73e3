package syncx_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// G6, P9, P10: a guard in a part that is a run of its own learns whether the step of the part is left because of a limit.
func TestG6LimitAroundAPart(t *testing.T) {
	type stage = step.Step[int, int]
	long := step.Delay[int](24 * time.Hour)
	second := step.Delay[int](time.Second)
	fails := flow.Then(second, step.Func(func(step.Scope, int) (int, error) { return 0, fault.New("E", "") }))
	linger := func(s stage) stage { return flow.Linger(time.Hour, s) }
	parts := map[string]func(g *tool.Group, s stage) stage{
		"no part":            func(_ *tool.Group, s stage) stage { return s },
		"Linger":             func(_ *tool.Group, s stage) stage { return linger(s) },
		"branch of a Linger": func(_ *tool.Group, s stage) stage { return linger(flow.First(long, s)) },
		"Linger in a branch of a Linger": func(_ *tool.Group, s stage) stage {
			return linger(flow.First(long, linger(flow.First(long, s))))
		},
		"On":             func(g *tool.Group, s stage) stage { return flow.On(g, s) },
		"On in a Linger": func(g *tool.Group, s stage) stage { return linger(flow.First(long, flow.On(g, s))) },
		"Linger in On":   func(g *tool.Group, s stage) stage { return flow.On(g, flow.First(long, linger(s))) },
	}
	for cause, c := range map[string]struct {
		around           func(stage) stage
		deadline, cancel bool
		want             syncx.BreakerState
	}{
		"limit":                {around: func(s stage) stage { return flow.Timeout(time.Second, s) }, want: syncx.Open},
		"limit around a race":  {around: func(s stage) stage { return flow.Timeout(time.Second, flow.First(long, s)) }, want: syncx.Open},
		"deadline":             {around: func(s stage) stage { return flow.First(long, s) }, deadline: true, want: syncx.Open},
		"cancel":               {around: func(s stage) stage { return s }, cancel: true, want: syncx.Closed},
		"decided race":         {around: func(s stage) stage { return flow.First(second, s) }, want: syncx.Closed},
		"error beside it":      {around: func(s stage) stage { return flow.Race(fails, s) }, want: syncx.Closed},
		"limit of what failed": {around: func(s stage) stage { return flow.Race(flow.Timeout(time.Second, long), s) }, want: syncx.Closed},
	} {
		for name, part := range parts {
			t.Run(cause+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g := tool.NewGroup(1, tool.Options{})
					defer func() {
						if err := g.Shutdown(context.Background()); err != nil {
							t.Error(err)
						}
					}()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if c.deadline {
						ctx, cancel = context.WithTimeout(ctx, time.Second)
						defer cancel()
					}
					if c.cancel {
						time.AfterFunc(time.Second, cancel)
					}
					b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1})
					_, _ = flow.Run(ctx, c.around(part(g, syncx.Sync(b, long))), 0)
					if got := b.State(); got != c.want {
						t.Errorf("the breaker is %v, want %v", got, c.want)
					}
				})
			})
		}
	}
}
