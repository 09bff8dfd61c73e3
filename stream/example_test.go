package stream_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

var ctx = context.Background()

var squares = flow.Then(step.Delay[int](time.Millisecond), step.Map(func(v int) int { return v * v }))

func Example() {
	numbers := stream.Func(stream.Lines[*strings.Reader](100), strconv.Atoi)
	sum := stream.Fold(
		stream.Through(numbers, stream.Bound{Limit: 8}, squares),
		func() int { return 0 }, func(sum, v int) int { return sum + v },
	)
	fmt.Println(flow.Run(ctx, sum, strings.NewReader("1\n2\n3\n")))
	// Output: 14 <nil>
}

func ExampleStream() {
	even := stream.Filter(stream.Slice[int](), func(v int) bool { return v%2 == 0 })
	// one description, two plans
	fmt.Println(flow.Run(ctx, stream.Count(even), []int{1, 2, 3, 4}))
	fmt.Println(flow.Run(ctx, stream.Collect(even), []int{1, 2, 3, 4}))
	// Output:
	// 2 <nil>
	// [2 4] <nil>
}

func ExampleSlice() {
	fmt.Println(flow.Run(ctx, stream.Count(stream.Slice[string]()), []string{"a", "b"}))
	// Output: 2 <nil>
}

func ExampleSeq() {
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Seq[int]()), slices.Values([]int{1, 2})))
	// Output: [1 2] <nil>
}

func ExampleSeq2() {
	var rows iter.Seq2[string, error] = func(yield func(string, error) bool) {
		_ = yield("a row", nil) && yield("", fault.New(fault.CommError, "the connection is gone"))
	}
	fmt.Println(flow.Run(ctx, stream.ForEach(stream.Seq2[string](), func(row string) error {
		fmt.Println(row)
		return nil
	}), rows))
	// Output:
	// a row
	// 0 CommError: the connection is gone (at 0)
}

func ExampleGenerate() {
	countdown := stream.Generate(10, func(_ context.Context, from int, yield func(int) bool) error {
		for i := from; i > 0 && yield(i); i-- {
		}
		return nil
	})
	fmt.Println(flow.Run(ctx, stream.Collect(countdown), 3))
	// Output: [3 2 1] <nil>
}

func ExampleChan() {
	events := make(chan string, 2)
	events <- "on"
	events <- "off"
	close(events)
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Chan[string](1)), events))
	// Output: [on off] <nil>
}

func ExampleLines() {
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Lines[*strings.Reader](100)), strings.NewReader("one\ntwo\n")))
	// Output: [one two] <nil>
}

func ExampleMap() {
	lengths := stream.Map(stream.Slice[string](), func(s string) int { return len(s) })
	fmt.Println(flow.Run(ctx, stream.Collect(lengths), []string{"a", "bcd"}))
	// Output: [1 3] <nil>
}

func ExampleFunc() {
	numbers := stream.Func(stream.Slice[string](), strconv.Atoi)
	fmt.Println(flow.Run(ctx, stream.Collect(numbers), []string{"1", "2"}))
	// Output: [1 2] <nil>
}

func ExampleFilter() {
	short := stream.Filter(stream.Slice[string](), func(s string) bool { return len(s) < 3 })
	fmt.Println(flow.Run(ctx, stream.Collect(short), []string{"a", "bcd", "ef"}))
	// Output: [a ef] <nil>
}

func ExampleTake() {
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Take(stream.Slice[int](), 2)), []int{1, 2, 3}))
	// Output: [1 2] <nil>
}

func ExampleSkip() {
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Skip(stream.Slice[int](), 1)), []int{1, 2, 3}))
	// Output: [2 3] <nil>
}

func ExampleBatch() {
	batches := stream.Batch(stream.Slice[int](), stream.Batching{Size: 2, Wait: time.Second})
	fmt.Println(flow.Run(ctx, stream.Collect(batches), []int{1, 2, 3}))
	// Output: [[1 2] [3]] <nil>
}

func ExampleThrough() {
	s := stream.Through(stream.Slice[int](), stream.Bound{Limit: 2, Buffer: 8}, squares)
	fmt.Println(flow.Run(ctx, stream.Collect(s), []int{1, 2, 3}))
	// Output: [1 4 9] <nil>
}

func ExampleCatch() {
	numbers := stream.Catch(stream.Func(stream.Slice[string](), strconv.Atoi), func(letter *stream.Letter[string]) error {
		fmt.Printf("%s can't take %q\n", letter.Path, letter.Element)
		return nil // the stream goes on
	})
	fmt.Println(flow.Run(ctx, stream.Collect(numbers), []string{"1", "two", "3"}))
	// Output:
	// 0/func.1 can't take "two"
	// [1 3] <nil>
}

func ExampleMeasure() {
	var progress stream.Progress
	numbers := stream.Measure(stream.Slice[int](), &progress)
	_, _ = flow.Run(ctx, stream.Count(stream.Take(numbers, 2)), []int{1, 2, 3})
	fmt.Printf("%+v\n", progress.Counts())
	// Output: {In:2 Out:2 Dead:0 Failed:0 Lost:0}
}

// A sum that was stopped is returned as far as it has come.
func ExampleRun() {
	numbers := stream.Func(stream.Slice[string](), strconv.Atoi)
	add := stream.Fold(numbers, func() int { return 0 }, func(sum, n int) int { return sum + n })
	sum, counts, err := stream.Run(ctx, add, []string{"10", "20", "thirty", "40"})
	fmt.Println(sum, "from", counts.Out, "numbers;", counts.Lost, "left:", errors.Is(err, strconv.ErrSyntax))
	// Output: 30 from 2 numbers; 1 left: true
}

func ExampleProgress_Counts() {
	var progress stream.Progress
	var zero stream.Counts
	fmt.Println(progress.Counts() == zero)
	// Output: true
}

func ExampleCollect() {
	fmt.Println(flow.Run(ctx, stream.Collect(stream.Slice[int]()), []int{1, 2}))
	// Output: [1 2] <nil>
}

func ExampleFold() {
	longest := stream.Fold(stream.Slice[string](), func() string { return "" }, func(best, s string) string {
		if len(s) > len(best) {
			return s
		}
		return best
	})
	fmt.Println(flow.Run(ctx, longest, []string{"a", "bcd", "ef"}))
	// Output: bcd <nil>
}

func ExampleCount() {
	fmt.Println(flow.Run(ctx, stream.Count(stream.Slice[int]()), []int{1, 2, 3}))
	// Output: 3 <nil>
}

func ExampleForEach() {
	fmt.Println(flow.Run(ctx, stream.ForEach(stream.Slice[int](), func(v int) error {
		fmt.Println(v)
		return nil
	}), []int{7, 8}))
	// Output:
	// 7
	// 8
	// 2 <nil>
}

func ExampleConsume() {
	// the body may block: write to a file, or send on a channel
	text := stream.Consume(stream.Slice[string](), 100, func(_ context.Context, _ []string, words iter.Seq[string]) (string, error) {
		var b strings.Builder
		for word := range words {
			b.WriteString(word)
		}
		return b.String(), nil
	})
	fmt.Println(flow.Run(ctx, text, []string{"a", "b"}))
	// Output: ab <nil>
}

func ExampleAll() {
	for v, err := range stream.All(ctx, stream.Slice[int](), []int{1, 2, 3}) {
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println(v)
		if v == 2 {
			break
		}
	}
	// Output:
	// 1
	// 2
}
