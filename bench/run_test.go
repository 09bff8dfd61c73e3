package bench

import (
	"testing"

	"github.com/alitto/pond/v2"
	"github.com/failsafe-go/failsafe-go"
	"github.com/panjf2000/ants/v2"
	"github.com/sourcegraph/conc"
	"golang.org/x/sync/errgroup"
)

// Run: give one function to a library that runs it, and wait for the result.
//
// asyncsteps runs it on the calling goroutine. The floor calls the function. goroutine, errgroup and conc start a goroutine
// each time; ants keeps its goroutines, pond only while there is work for them. failsafe has an executor without policies, ro
// and eino a pipeline of one stage.
var run = row{
	want: same,
	columns: []column{
		ours(func(int) number { return inc }),
		floor,
		peer("goroutine", func(testing.TB, int) operation {
			f := adds(1)[0]
			return func() (int, error) {
				result := make(chan pair)
				go func() {
					v, err := f(0)
					result <- pair{v, err}
				}()
				p := <-result
				return p.v, p.err
			}
		}),
		peer("errgroup", func(testing.TB, int) operation {
			f := adds(1)[0]
			return func() (v int, _ error) {
				var g errgroup.Group
				g.Go(func() (err error) {
					v, err = f(0)
					return err
				})
				err := g.Wait()
				return v, err
			}
		}),
		peer("conc", func(testing.TB, int) operation {
			f := adds(1)[0]
			return func() (v int, err error) {
				var g conc.WaitGroup
				g.Go(func() { v, err = f(0) })
				g.Wait()
				return v, err
			}
		}),
		peer("ants", func(tb testing.TB, _ int) operation {
			f, pool := adds(1)[0], antsPool(tb)
			return func() (int, error) {
				result := make(chan pair)
				if err := pool.Submit(func() {
					v, err := f(0)
					result <- pair{v, err}
				}); err != nil {
					return 0, err
				}
				p := <-result
				return p.v, p.err
			}
		}),
		peer("pond", func(tb testing.TB, _ int) operation {
			f, pool := adds(1)[0], pondPool(tb)
			return func() (int, error) {
				return pool.SubmitErr(func() (int, error) { return f(0) }).Wait()
			}
		}),
		peer("failsafe", func(testing.TB, int) operation {
			f, executor := adds(1)[0], failsafe.With[int]()
			return func() (int, error) {
				return executor.Get(func() (int, error) { return f(0) })
			}
		}),
		roSteps,
		einoSteps,
	},
}

// floor is a column of plain functions, called one after the other through pointers.
var floor = peer("floor", func(_ testing.TB, n int) operation {
	all := adds(n)
	return func() (int, error) { return call(all) }
})

func antsPool(tb testing.TB) *ants.Pool {
	tb.Helper()
	pool, err := ants.NewPool(poolSize)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(pool.Release)
	return pool
}

func pondPool(tb testing.TB) pond.ResultPool[int] {
	tb.Helper()
	pool := pond.NewResultPool[int](poolSize)
	tb.Cleanup(pool.StopAndWait)
	return pool
}

// poolSize allows a goroutine for each branch of the widest row.
const poolSize = 10_000

func BenchmarkRun(b *testing.B) { run.bench(b) }
