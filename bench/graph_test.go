package bench

import (
	"strconv"
	"testing"

	"github.com/cloudwego/eino/compose"
	"golang.org/x/sync/errgroup"

	"github.com/futoin-go/asyncsteps/flow"
)

// graph: a function, then n functions on its result, then the sum of theirs.
//
// asyncsteps and eino have a graph that was built once. asyncsteps runs it on the caller's goroutine, and its last node adds
// the results up; eino may start goroutines for its nodes, and returns the results in a map. errgroup is a call, a group of
// goroutines and a sum.
var graph = row{
	sizes: []int{2, 10},
	want:  func(n int) int { return 2 * n },
	columns: []column{
		ours(fanned),
		peer("floor", func(_ testing.TB, n int) operation {
			all := adds(n + 1)
			return func() (sum int, err error) {
				v, err := all[0](0)
				for _, f := range all[1:] {
					if err != nil {
						break
					}
					var w int
					w, err = f(v)
					sum += w
				}
				return sum, err
			}
		}),
		peer("errgroup", func(_ testing.TB, n int) operation {
			all := adds(n + 1)
			return func() (int, error) {
				v, err := all[0](0)
				if err != nil {
					return 0, err
				}
				var g errgroup.Group
				results := make([]int, n)
				for i, f := range all[1:] {
					g.Go(func() (err error) { results[i], err = f(v); return err })
				}
				err = g.Wait()
				sum := 0
				for _, w := range results {
					sum += w
				}
				return sum, err
			}
		}),
		peer("eino", einoGraph),
	},
}

func fanned(n int) number {
	return flow.Graph(func(in flow.Ref[int]) flow.Ref[int] {
		first := flow.Node(in, inc)
		parts := make([]flow.Part[int], n)
		for i := range parts {
			parts[i] = flow.Put(flow.Node(first, inc), func(sum *int, v int) { *sum += v })
		}
		return flow.Gather(parts...)
	})
}

func einoGraph(tb testing.TB, n int) operation {
	tb.Helper()
	all := adds(n + 1)
	g := compose.NewGraph[int, map[string]any]()
	do := func(err error) {
		if err != nil {
			tb.Fatal(err)
		}
	}
	do(g.AddLambdaNode("first", lambda(all[0])))
	do(g.AddEdge(compose.START, "first"))
	for i, f := range all[1:] {
		name := strconv.Itoa(i)
		do(g.AddLambdaNode(name, lambda(f), compose.WithOutputKey(name)))
		do(g.AddEdge("first", name))
		do(g.AddEdge(name, compose.END))
	}
	compiled, err := g.Compile(background, compose.WithNodeTriggerMode(compose.AllPredecessor))
	do(err)
	return func() (sum int, err error) {
		m, err := compiled.Invoke(background, 0)
		for _, v := range m {
			sum += v.(int)
		}
		return sum, err
	}
}

func BenchmarkGraph(b *testing.B) { graph.bench(b) }
