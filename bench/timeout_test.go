package bench

import (
	"context"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	failsafetimeout "github.com/failsafe-go/failsafe-go/timeout"
	"github.com/samber/ro"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Timeout: give a function a limit, call it, and take the limit back because it has returned in time; n times one after the other.
//
// asyncsteps has flow.Timeout around a plain step; in the column asyncsteps.body the step's body sets the limit itself, which saves a
// level. context makes a context with a timeout and cancels it. The floor is the runtime's timer alone, armed and stopped.
var timeout = row{
	sizes: []int{1, 16},
	want:  same,
	columns: []column{
		ours(limits),
		peer("asyncsteps.body", ours(ownLimits).build),
		limited("floor", func(f add) add {
			late := func() {}
			return func(i int) (int, error) {
				t := time.AfterFunc(time.Hour, late)
				v, err := f(i)
				t.Stop()
				return v, err
			}
		}),
		limited("context", func(f add) add {
			return func(i int) (int, error) {
				_, cancel := context.WithTimeout(background, time.Hour)
				v, err := f(i)
				cancel()
				return v, err
			}
		}),
		limited("failsafe", func(f add) add {
			executor := failsafe.With(failsafetimeout.New[int](time.Hour))
			return func(i int) (int, error) {
				return executor.Get(func() (int, error) { return f(i) })
			}
		}),
		peer("ro", func(_ testing.TB, n int) operation {
			pipeline := ro.Just(0)
			for _, f := range adds(n) {
				pipeline = ro.Timeout[int](time.Hour)(ro.MapErr(f)(pipeline))
			}
			return collect(pipeline)
		}),
	},
}

func limits(n int) number { return times(n, flow.Timeout(time.Hour, inc)) }

func ownLimits(n int) number {
	return times(n, step.New(func(as step.Scope, i int) step.Next[int] {
		as.SetTimeout(time.Hour)
		return step.Succeed(i + 1)
	}))
}

func limited(name string, limit func(f add) add) column {
	return peer(name, func(_ testing.TB, n int) operation {
		all := adds(n)
		for i, f := range all {
			all[i] = limit(f)
		}
		return func() (int, error) { return call(all) }
	})
}

func BenchmarkTimeout(b *testing.B) { timeout.bench(b) }
