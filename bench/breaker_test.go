package bench

import (
	"sync"
	"testing"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/sony/gobreaker/v2"

	"github.com/futoin-go/asyncsteps/syncx"
)

// breaker: call a function that succeeds, n times one after the other, through a circuit breaker that would open after five
// failures in a row.
//
// gobreaker counts in a struct and asks a function whether to open; failsafe has the breaker in an executor, failsafe.permits
// without one. The floor counts the failures in a row under a sync.Mutex and knows no other state.
var breaker = row{
	sizes: []int{1, 16},
	want:  same,
	columns: []column{
		ours(func(n int) number { return times(n, syncx.Sync(syncx.NewBreaker(syncx.BreakerPolicy{}), inc)) }),
		broken("floor", func() func(f add, v int) (int, error) {
			var mu sync.Mutex
			inRow := 0
			return func(f add, v int) (int, error) {
				mu.Lock()
				open := inRow >= 5
				mu.Unlock()
				if open {
					return 0, errDeclared
				}
				v, err := f(v)
				mu.Lock()
				if inRow++; err == nil {
					inRow = 0
				}
				mu.Unlock()
				return v, err
			}
		}),
		broken("gobreaker", func() func(f add, v int) (int, error) {
			cb := gobreaker.NewCircuitBreaker[int](gobreaker.Settings{
				ReadyToTrip: func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= 5 },
			})
			return func(f add, v int) (int, error) { return cb.Execute(func() (int, error) { return f(v) }) }
		}),
		broken("failsafe", func() func(f add, v int) (int, error) {
			executor := failsafe.With(circuitbreaker.NewBuilder[int]().WithFailureThreshold(5).Build())
			return func(f add, v int) (int, error) {
				return executor.Get(func() (int, error) { return f(v) })
			}
		}),
		broken("failsafe.permits", func() func(f add, v int) (int, error) {
			cb := circuitbreaker.NewBuilder[int]().WithFailureThreshold(5).Build()
			return func(f add, v int) (int, error) {
				if !cb.TryAcquirePermit() {
					return 0, circuitbreaker.ErrOpen
				}
				v, err := f(v)
				if err != nil {
					cb.RecordFailure()
				} else {
					cb.RecordSuccess()
				}
				return v, err
			}
		}),
	},
}

func broken(name string, newBreaker func() func(f add, v int) (int, error)) column {
	return peer(name, func(_ testing.TB, n int) operation {
		through, all := newBreaker(), adds(n)
		for i, f := range all {
			all[i] = func(v int) (int, error) { return through(f, v) }
		}
		return func() (int, error) { return call(all) }
	})
}

func BenchmarkBreaker(b *testing.B) { breaker.bench(b) }
