package flow_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// The longest duration means never, and must not overflow to a time in the past; a negative one is refused. The loop's
// clock stands at an hour, so that a sum can overflow.
func TestDurationsBeyondTheRange(t *testing.T) {
	waits := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
	limits := func(d time.Duration, s step.Step[int, int]) step.Step[int, int] {
		return step.New(func(as step.Scope, in int) step.Next[int] {
			as.SetTimeout(d)
			return step.Into(as, s, in)
		})
	}
	twice := func(guard syncx.Guard) step.Step[int, int] { // the second entry waits for the next period
		return flow.Chain(syncx.Sync(guard, plantest.Add(0)), syncx.Sync(guard, plantest.Add(0)))
	}
	for _, c := range []struct {
		name string
		plan func(d time.Duration) step.Step[int, int]
		zero bool // zero is valid
	}{
		{"step.Delay", func(d time.Duration) step.Step[int, int] { return step.Delay[int](d) }, true},
		{"flow.Timeout", func(d time.Duration) step.Step[int, int] { return flow.Timeout(d, waits) }, false},
		{"SetTimeout", func(d time.Duration) step.Step[int, int] { return limits(d, waits) }, false},
		{"period of a Throttle", func(d time.Duration) step.Step[int, int] { return twice(syncx.NewThrottle(1, d, 1)) }, false},
		{"period of a Limiter", func(d time.Duration) step.Step[int, int] {
			return twice(syncx.NewLimiter(syncx.Limits{Period: d, Burst: 1}))
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, d := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1} {
				loop := tooltest.New()
				loop.Advance(time.Hour)
				run := flow.Start(t.Context(), loop, c.plan(d), 1)
				loop.Advance(200 * 365 * 24 * time.Hour)
				if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
					t.Errorf("%v: has ended with %v", d, err)
				}
				run.Cancel(nil)
				loop.Advance(0)
				_, err := run.Result()
				plantest.WantCode(t, err, fault.Cancelled)
				synctest.Test(t, func(t *testing.T) { // with the loop of real time
					loop := tool.Start(tool.Options{})
					defer loop.Shutdown(context.Background())
					virtualSleep(time.Hour)
					run := flow.Start(t.Context(), loop, c.plan(d), 1)
					virtualSleep(24 * time.Hour)
					if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
						t.Errorf("%v: has ended with %v", d, err)
					}
					run.Cancel(nil)
					_, err := run.Wait(t.Context())
					plantest.WantCode(t, err, fault.Cancelled)
				})
			}
			refused := []time.Duration{-1, math.MinInt64}
			if !c.zero {
				refused = append(refused, 0)
			}
			for _, d := range refused {
				_, err := plantest.Run(t, c.plan(d), 1)
				plantest.WantCode(t, err, fault.InvalidRequest)
			}
		})
	}
}
