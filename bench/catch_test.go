package bench

import (
	"errors"
	"testing"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/fallback"
	"github.com/samber/ro"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// errDeclared is made once, and not in each operation.
var errDeclared = errors.New("declared")

// Catch: a function fails, and its handler answers with a value, n times, one after the other.
//
// The floor checks the error and calls the handler. failsafe has a fallback around each function, and the caller passes each
// result to the next function. With ro each function has a Catch after it, whose value the next function gets.
var catch = row{
	sizes: []int{1, 16},
	want:  func(int) int { return 1 },
	columns: []column{
		ours(func(n int) number {
			fails := step.Func(func(step.Scope, int) (int, error) { return 0, errDeclared })
			return times(n, flow.Catch(fails, func(step.Scope, error) step.Next[int] { return step.Succeed(1) }))
		}),
		peer("floor", func(_ testing.TB, n int) operation {
			all := make([]add, n)
			for i := range all {
				all[i] = recovers(func(int) (int, error) { return 0, errDeclared }, func(error) int { return 1 })
			}
			return func() (int, error) { return call(all) }
		}),
		peer("failsafe", func(_ testing.TB, n int) operation {
			executor := failsafe.With(fallback.NewWithFunc(func(failsafe.Execution[int]) (int, error) { return 1, nil }))
			all := make([]add, n)
			for i := range all {
				all[i] = func(int) (int, error) {
					return executor.Get(func() (int, error) { return 0, errDeclared })
				}
			}
			return func() (int, error) { return call(all) }
		}),
		peer("ro", func(_ testing.TB, n int) operation {
			pipeline := ro.Just(0)
			for range n {
				pipeline = ro.MapErr(func(int) (int, error) { return 0, errDeclared })(pipeline)
				pipeline = ro.Catch(func(error) ro.Observable[int] { return ro.Just(1) })(pipeline)
			}
			return collect(pipeline)
		}),
	},
}

func recovers(f add, handler func(error) int) add {
	return func(i int) (int, error) {
		v, err := f(i)
		if err != nil {
			return handler(err), nil
		}
		return v, nil
	}
}

func BenchmarkCatch(b *testing.B) { catch.bench(b) }
