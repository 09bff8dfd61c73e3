package stream_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func ExampleAwait() {
	hashes := stream.Await(stream.Slice[string](), stream.Bound{Limit: 2, Buffer: 256}, func(_ context.Context, s string) (int, error) {
		return len(s) * 31, nil // imitates a long computation
	})
	fmt.Println(flow.Run(ctx, stream.Collect(hashes), []string{"a", "bc"}))
	// Output: [31 62] <nil>
}

func ExampleFlatMap() {
	words := stream.Lines[io.Reader](100)
	files := stream.Map(stream.Slice[string](), func(text string) io.Reader { return strings.NewReader(text) })
	all := stream.FlatMap(files, stream.Bound{Limit: 4}, words)
	fmt.Println(flow.Run(ctx, stream.Collect(all), []string{"a\nb", "c"}))
	// Output: [a b c] <nil>
}

func ExampleExpand() {
	words := stream.Expand(stream.Slice[string](), strings.FieldsSeq)
	fmt.Println(flow.Run(ctx, stream.Collect(words), []string{"one two", "three"}))
	// Output: [one two three] <nil>
}

func ExamplePartition() {
	type entry struct{ account, amount int }
	balance := map[int]int{}
	book := step.Map(func(e entry) int { // never runs twice at the same time for one account
		balance[e.account] += e.amount
		return balance[e.account]
	})
	s := stream.Partition(stream.Slice[entry](), stream.Bound{Limit: 8}, func(e entry) int { return e.account }, book)
	fmt.Println(flow.Run(ctx, stream.Collect(s), []entry{{1, 10}, {2, 20}, {1, -5}}))
	// Output: [10 20 5] <nil>
}

func ExampleMerge() {
	evens := stream.Map(stream.Slice[int](), func(v int) int { return 2 * v })
	fmt.Println(flow.Run(ctx, stream.Count(stream.Merge(evens, stream.Slice[int]())), []int{1, 2}))
	// Output: 4 <nil>
}

func ExampleConcat() {
	evens := stream.Map(stream.Slice[int](), func(v int) int { return 2 * v })
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Concat(evens, stream.Slice[int]())), []int{1, 2}))
	// Output: [2 4 1 2] <nil>
}

func ExampleZip() {
	lengths := stream.Map(stream.Slice[string](), func(s string) int { return len(s) })
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Zip(stream.Slice[string](), lengths)), []string{"a", "bcd"}))
	// Output: [{a 1} {bcd 3}] <nil>
}

func ExampleInput() {
	type request struct{ ids, names []string }
	ids := stream.Input(func(r request) []string { return r.ids }, stream.Slice[string]())
	names := stream.Input(func(r request) []string { return r.names }, stream.Slice[string]())
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Zip(ids, names)), request{[]string{"1"}, []string{"Ann"}}))
	// Output: [{1 Ann}] <nil>
}

func ExampleBroadcast() {
	sum := stream.Fold(stream.Fed[int](), func() int { return 0 }, func(sum, v int) int { return sum + v })
	count := stream.Count(stream.Fed[int]())
	fmt.Println(flow.Run(ctx, stream.Broadcast(stream.Slice[int](), 100, sum, count), []int{1, 2, 3}))
	// Output: [6 3] <nil>
}

func ExampleBroadcast2() {
	average := flow.Then(
		stream.Broadcast2(stream.Slice[float64](), 100,
			stream.Fold(stream.Fed[float64](), func() float64 { return 0 }, func(sum, v float64) float64 { return sum + v }),
			stream.Count(stream.Fed[float64]()),
		),
		step.Map(func(p flow.Pair[float64, int]) float64 { return p.A / float64(p.B) }),
	)
	fmt.Println(flow.Run(ctx, average, []float64{1, 2, 6}))
	// Output: 3 <nil>
}

func ExampleFed() {
	both := func(f stream.Feed[int]) stream.Feed[int] { return f } // the branch reads its feed as it is
	first := flow.Then(step.Map(both), stream.Collect(stream.Take(stream.Fed[int](), 1)))
	fmt.Println(flow.Run(ctx, stream.Broadcast(stream.Slice[int](), 10, first), []int{7, 8}))
	// Output: [[7]] <nil>
}

func ExamplePages() {
	page := step.Func(func(_ step.Scope, from int) (stream.Page[int, string], error) {
		if from == 2 {
			return stream.Page[int, string]{Items: []string{"c"}}, nil
		}
		return stream.Page[int, string]{Items: []string{"a", "b"}, Next: from + 2, More: true}, nil
	})
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Pages(page)), 0))
	// Output: [a b c] <nil>
}

func ExampleTicks() {
	ticks := stream.Take(stream.Ticks[int](time.Millisecond), 3)
	fmt.Println(flow.Run(ctx, stream.Count(ticks), 0))
	// Output: 3 <nil>
}

func ExampleThrottle() {
	s := stream.Throttle(stream.Slice[int](), 100, time.Second)
	fmt.Println(flow.Run(ctx, stream.Collect(s), []int{1, 2}))
	// Output: [1 2] <nil>
}

func ExampleDistinct() {
	s := stream.Distinct(stream.Slice[string](), strings.ToLower)
	fmt.Println(flow.Run(ctx, stream.Collect(s), []string{"Go", "go", "C"}))
	// Output: [Go C] <nil>
}

func ExampleScan() {
	totals := stream.Scan(stream.Slice[int](), func() int { return 0 }, func(sum, v int) int { return sum + v })
	fmt.Println(flow.Run(ctx, stream.Collect(totals), []int{1, 2, 3}))
	// Output: [1 3 6] <nil>
}

func ExampleWindow() {
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Window(stream.Slice[int](), 2, 1)), []int{1, 2, 3}))
	// Output: [[1 2] [2 3]] <nil>
}

func ExampleWrite() {
	lines := stream.Map(stream.Input(func(*strings.Builder) []string { return []string{"a", "b"} }, stream.Slice[string]()),
		func(s string) string { return s + ";" })
	var out strings.Builder
	n, err := flow.Run(ctx, stream.Write(lines, 100, func(b *strings.Builder) io.Writer { return b }), &out)
	fmt.Println(n, err, out.String())
	// Output: 4 <nil> a;b;
}

func ExampleSend() {
	results := make(chan int, 3)
	squares := stream.Map(stream.Slice[int](), func(v int) int { return v * v })
	fmt.Println(flow.Run(ctx, stream.Send(squares, 10, func([]int) chan<- int { return results }), []int{1, 2}))
	fmt.Println(<-results, <-results)
	// Output:
	// 2 <nil>
	// 1 4
}

// Observers get the names.
func ExampleNamed() {
	doubled := stream.Named("doubled", stream.Map(stream.Slice[int](), func(v int) int { return 2 * v }))
	sum := flow.Named("sum", stream.Fold(doubled, func() int { return 0 }, func(sum, v int) int { return sum + v }))
	watcher := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if stages, last := e.Stages(); last {
				fmt.Println(e.Label(), "took from", stages[1].Label(), stages[1].Out, "elements")
			}
		}
	})
	_, _ = flow.Run(observe.With(context.Background(), watcher), sum, []int{1, 2, 3})
	// Output: sum took from doubled 3 elements
}
