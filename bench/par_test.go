package bench

import (
	"sync"
	"testing"

	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"

	"github.com/futoin-go/asyncsteps/flow"
)

// Par: n functions side by side on the same input, their results by position in a new slice, and the sum of these; their first
// error would be returned.
//
// asyncsteps interleaves them on the caller's goroutine, and the floor calls them in a loop; the other columns may use all
// processors. ants and goroutine have no errors, so their columns look for them afterwards.
var par = row{
	sizes: []int{1, 10, 100, 1000},
	want:  same,
	columns: []column{
		peer("asyncsteps", func(_ testing.TB, n int) operation {
			branches := make([]number, n)
			for i := range branches {
				branches[i] = inc
			}
			p := flow.Par(branches...)
			return func() (int, error) { return sum(flow.Run(background, p, 0)) }
		}),
		peer("floor", func(_ testing.TB, n int) operation {
			all := adds(n)
			return func() (int, error) { return callEach(all) }
		}),
		peer("goroutine", func(_ testing.TB, n int) operation {
			all := adds(n)
			return func() (int, error) {
				results := make([]pair, n)
				var g sync.WaitGroup
				for i, f := range all {
					g.Go(func() { results[i].v, results[i].err = f(0) })
				}
				g.Wait()
				return sumPairs(results)
			}
		}),
		peer("errgroup", func(_ testing.TB, n int) operation {
			all := adds(n)
			return func() (int, error) {
				results := make([]int, n)
				var g errgroup.Group
				for i, f := range all {
					g.Go(func() (err error) { results[i], err = f(0); return err })
				}
				err := g.Wait()
				return sum(results, err)
			}
		}),
		peer("conc", func(_ testing.TB, n int) operation {
			all := adds(n)
			return func() (int, error) {
				results := make([]int, n)
				g := pool.New().WithErrors().WithFirstError()
				for i, f := range all {
					g.Go(func() (err error) { results[i], err = f(0); return err })
				}
				err := g.Wait()
				return sum(results, err)
			}
		}),
		antsPar(0),
		pondPar(0),
	},
}

// antsPar gives a pool n tasks, or least if that is more.
func antsPar(least int) column {
	return peer("ants", func(tb testing.TB, n int) operation {
		tb.Helper()
		all, workers := adds(max(n, least)), antsPool(tb)
		return func() (int, error) {
			results := make([]pair, len(all))
			var g sync.WaitGroup
			g.Add(len(all))
			for i, f := range all {
				if err := workers.Submit(func() {
					defer g.Done()
					results[i].v, results[i].err = f(0)
				}); err != nil {
					return 0, err
				}
			}
			g.Wait()
			return sumPairs(results)
		}
	})
}

// pondPar gives a pool n tasks, or least if that is more.
func pondPar(least int) column {
	return peer("pond", func(tb testing.TB, n int) operation {
		tb.Helper()
		all, workers := adds(max(n, least)), pondPool(tb)
		return func() (int, error) {
			g := workers.NewGroup()
			for _, f := range all {
				g.SubmitErr(func() (int, error) { return f(0) })
			}
			return sum(g.Wait())
		}
	})
}

// callEach calls all functions on the same input, and returns the sum of a slice of their results. Like call it must not be inlined.
//
//go:noinline
func callEach(all []add) (int, error) {
	results := make([]int, len(all))
	for i, f := range all {
		var err error
		if results[i], err = f(0); err != nil {
			return 0, err
		}
	}
	return sum(results, nil)
}

func sum(values []int, err error) (int, error) {
	total := 0
	for _, v := range values {
		total += v
	}
	return total, err
}

func sumPairs(pairs []pair) (int, error) {
	total := 0
	for _, p := range pairs {
		if p.err != nil {
			return 0, p.err
		}
		total += p.v
	}
	return total, nil
}

func BenchmarkPar(b *testing.B) { par.bench(b) }
