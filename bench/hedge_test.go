package bench

import (
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"

	"github.com/futoin-go/asyncsteps/flow"
)

// Hedge: a call of a function, to which a second call would be added after an hour. The function returns at once, so the hedge
// itself is the only cost.
//
// asyncsteps runs flow.Hedge on the caller's goroutine, with a plain step for each call; failsafe has a hedge policy, which
// calls the function on another goroutine.
var hedge = row{
	want: func(int) int { return 1 },
	columns: []column{
		ours(func(int) number { return flow.Hedge[int, int](time.Hour, inc, inc) }),
		peer("floor", func(testing.TB, int) operation {
			all := adds(1)
			return func() (int, error) { return callEach(all) }
		}),
		peer("failsafe", func(testing.TB, int) operation {
			f := adds(1)[0]
			executor := failsafe.With(hedgepolicy.NewWithDelay[int](time.Hour))
			call := func() (int, error) { return f(0) }
			return func() (int, error) { return executor.Get(call) }
		}),
	},
}

func BenchmarkHedge(b *testing.B) { hedge.bench(b) }
