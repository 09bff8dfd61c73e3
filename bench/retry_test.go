package bench

import (
	"testing"

	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
)

// flaky succeeds at each n-th call, and otherwise fails with an error that exists already.
func flaky(n int) add {
	calls := 0
	return func(i int) (int, error) {
		if calls++; calls%n != 0 {
			return 0, errDeclared
		}
		return i + 1, nil
	}
}

// retried: a function succeeds at the n-th attempt of up to three, without pauses.
//
// The floor calls the function in a loop. failsafe and backoff have a policy that was built once; backoff always waits for a timer
// between attempts, here for zero time.
var retried = row{
	sizes: []int{1, 3},
	want:  func(int) int { return 1 },
	columns: []column{
		ours(func(n int) number {
			f := flaky(n)
			return retry.Of(retry.Policy{Tries: 3}, step.Func(func(_ step.Scope, i int) (int, error) { return f(i) }))
		}),
		peer("floor", func(_ testing.TB, n int) operation {
			f := []add{flaky(n)}
			return func() (v int, err error) {
				for range 3 {
					if v, err = call(f); err == nil {
						break
					}
				}
				return v, err
			}
		}),
		peer("failsafe", func(_ testing.TB, n int) operation {
			executor := failsafe.With(retrypolicy.NewBuilder[int]().WithMaxAttempts(3).Build())
			f := flaky(n)
			return func() (int, error) { return executor.Get(func() (int, error) { return f(0) }) }
		}),
		peer("backoff", func(_ testing.TB, n int) operation {
			pauses, tries := backoff.WithBackOff(&backoff.ZeroBackOff{}), backoff.WithMaxTries(3)
			f := flaky(n)
			return func() (int, error) {
				return backoff.Retry(background, func() (int, error) { return f(0) }, pauses, tries)
			}
		}),
	},
}

func BenchmarkRetry(b *testing.B) { retried.bench(b) }
