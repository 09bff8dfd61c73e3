package bench

import (
	"testing"

	"github.com/cloudwego/eino/compose"
	"github.com/samber/lo"
	"github.com/samber/ro"
	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Par2: two functions side by side on the same input, and then the sum of their results; their first error would be returned.
//
// asyncsteps interleaves them on the caller's goroutine, where the floor calls them in a loop. errgroup, conc and goroutine
// start two goroutines, ants and pond give two tasks to a pool, ro zips two pipelines, eino has two nodes and their map.
var par2 = row{
	want: func(int) int { return 2 },
	columns: []column{
		ours(sumOfTwo),
		peer("floor", func(testing.TB, int) operation {
			all := adds(2)
			return func() (int, error) { return callEach(all) }
		}),
		peer("goroutine", func(testing.TB, int) operation {
			all := adds(2)
			return func() (int, error) {
				results := make(chan pair)
				for _, f := range all {
					go func() {
						v, err := f(0)
						results <- pair{v, err}
					}()
				}
				a, b := <-results, <-results
				if a.err != nil {
					return 0, a.err
				}
				return a.v + b.v, b.err
			}
		}),
		peer("errgroup", func(testing.TB, int) operation {
			f := adds(1)[0]
			return func() (int, error) {
				var g errgroup.Group
				var x, y int
				g.Go(func() (err error) { x, err = f(0); return err })
				g.Go(func() (err error) { y, err = f(0); return err })
				err := g.Wait()
				return x + y, err
			}
		}),
		peer("conc", func(testing.TB, int) operation {
			f := adds(1)[0]
			return func() (int, error) {
				g := pool.New().WithErrors().WithFirstError()
				var x, y int
				g.Go(func() (err error) { x, err = f(0); return err })
				g.Go(func() (err error) { y, err = f(0); return err })
				err := g.Wait()
				return x + y, err
			}
		}),
		antsPar(2),
		pondPar(2),
		peer("ro", func(testing.TB, int) operation {
			f := adds(1)[0]
			both := ro.Zip2(ro.MapErr(f)(ro.Just(0)), ro.MapErr(f)(ro.Just(0)))
			return collect(ro.Map(func(t lo.Tuple2[int, int]) int { return t.A + t.B })(both))
		}),
		peer("eino", func(tb testing.TB, _ int) operation {
			tb.Helper()
			f := adds(1)[0]
			both := compose.NewParallel().AddLambda("a", lambda(f)).AddLambda("b", lambda(f))
			compiled, err := compose.NewChain[int, map[string]any]().AppendParallel(both).Compile(background)
			if err != nil {
				tb.Fatal(err)
			}
			return func() (int, error) {
				m, err := compiled.Invoke(background, 0)
				if err != nil {
					return 0, err
				}
				return m["a"].(int) + m["b"].(int), nil
			}
		}),
	},
}

// sumOfTwo returns the plan of the row for any n.
func sumOfTwo(int) number {
	return flow.Then(flow.Par2(inc, inc), step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
}

func BenchmarkPar2(b *testing.B) { par2.bench(b) }
