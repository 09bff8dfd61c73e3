package bench

import (
	"testing"

	"github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// tasks: call a function for each of n numbers, at most 8 at once, and add up the results.
//
// asyncsteps has a group of tasks, which interleave on the caller's goroutine; errgroup begins a goroutine for each number, conc up
// to 8, which take one number after the other.
var tasks = row{
	sizes: []int{10, 1000},
	want:  same,
	columns: []column{
		peer("asyncsteps", func(_ testing.TB, n int) operation {
			plan := flow.NewTasks[int, int]("bench").All(8, inc)
			in := make([]int, n)
			return func() (int, error) { return sum(flow.Run(background, plan, in)) }
		}),
		peer("errgroup", func(_ testing.TB, n int) operation {
			f := adds(1)[0]
			return func() (int, error) {
				var g errgroup.Group
				g.SetLimit(8)
				got := make([]int, n)
				for i := range got {
					g.Go(func() (err error) { got[i], err = f(0); return err })
				}
				return sum(got, g.Wait())
			}
		}),
		peer("conc", func(_ testing.TB, n int) operation {
			f := adds(1)[0]
			return func() (int, error) {
				p := pool.NewWithResults[int]().WithErrors().WithMaxGoroutines(8)
				for range n {
					p.Go(func() (int, error) { return f(0) })
				}
				return sum(p.Wait())
			}
		}),
	},
}

// tasksGrow: a tree of n leaves, whose nodes add their children as tasks, 8 at once; the sum of the leaves.
//
// Tasks of errgroup can't add tasks at a limit without a deadlock, so that column has no limit.
var tasksGrow = row{
	sizes: []int{16, 1024},
	want:  same,
	columns: []column{
		peer("asyncsteps", func(_ testing.TB, n int) operation {
			tree := flow.NewTasks[int, int]("tree")
			plan := tree.Completed(8, step.Func(func(as step.Scope, n int) (int, error) {
				if n == 1 {
					return 1, nil
				}
				tree.Go(as, n/2)
				tree.Go(as, n-n/2)
				return 0, nil
			}))
			in := []int{n}
			return func() (int, error) { return sum(flow.Run(background, plan, in)) }
		}),
		peer("errgroup", func(_ testing.TB, n int) operation {
			return func() (int, error) { return grow(n) }
		}),
	},
}

func grow(n int) (int, error) {
	if n == 1 {
		return 1, nil
	}
	var g errgroup.Group
	var left, right int
	g.Go(func() (err error) { left, err = grow(n / 2); return err })
	g.Go(func() (err error) { right, err = grow(n - n/2); return err })
	err := g.Wait()
	return left + right, err
}

func BenchmarkTasks(b *testing.B)     { tasks.bench(b) }
func BenchmarkTasksGrow(b *testing.B) { tasksGrow.bench(b) }
