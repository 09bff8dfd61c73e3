package bench

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// skynet: a tree whose nodes have ten children each, down to n numbered leaves; the sum of their numbers.
//
// asyncsteps runs the ten largest subtrees on the loops of a group, and the nodes of each as branches there; the other column
// begins a goroutine for each node, as the benchmark of that name does.
var skynet = row{
	sizes: []int{1000, 1_000_000},
	want:  func(n int) int { return n * (n - 1) / 2 },
	columns: []column{
		peer("asyncsteps", func(tb testing.TB, n int) operation {
			g := tool.NewGroup(0, tool.Options{})
			tb.Cleanup(func() {
				if err := g.Shutdown(context.Background()); err != nil {
					tb.Error(err)
				}
			})
			plan := fanOut(n, flow.On(g, subtree(n/10)))
			return func() (int, error) { return flow.Run(background, plan, 0) }
		}),
		peer("goroutines", func(_ testing.TB, n int) operation {
			return func() (int, error) {
				to := make(chan int)
				go count(to, 0, n)
				return <-to, nil
			}
		}),
	},
}

// subtree adds up the numbers of n leaves; its input is the first.
func subtree(n int) step.Step[int, int] {
	if n == 1 {
		return step.Map(func(number int) int { return number })
	}
	return fanOut(n, subtree(n/10))
}

// fanOut returns a node with ten children, which have n leaves in total.
func fanOut(n int, child step.Step[int, int]) step.Step[int, int] {
	return flow.Then(
		flow.Then(step.Map(func(number int) []int {
			first := make([]int, 10)
			for i := range first {
				first[i] = number + i*n/10
			}
			return first
		}), flow.ParEach(10, child)),
		step.Map(func(sums []int) int {
			total := 0
			for _, s := range sums {
				total += s
			}
			return total
		}))
}

// count is subtree with a goroutine for each node.
func count(to chan<- int, number, n int) {
	if n == 1 {
		to <- number
		return
	}
	from := make(chan int)
	for i := range 10 {
		go count(from, number+i*n/10, n/10)
	}
	total := 0
	for range 10 {
		total += <-from
	}
	to <- total
}

func BenchmarkSkynet(b *testing.B) { skynet.bench(b) }
