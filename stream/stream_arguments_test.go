package stream_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestBadArguments(t *testing.T) {
	s := stream.Slice[int]()
	one := stream.Bound{Limit: 1}
	same := func(v int) (int, error) { return v, nil }
	await := func(_ context.Context, v int) (int, error) { return v, nil }
	seen := stream.Count(fed)
	to := func([]int) chan<- int { return nil }
	text := stream.Map(s, func(int) string { return "" })
	writer := func([]int) io.Writer { return io.Discard }
	var none stream.Stream[[]int, int]
	for _, bad := range []struct {
		err  error
		want string
	}{
		{stream.Count(stream.Generate[int, int](1, nil)).Err(), "generate: the body is nil"},
		{stream.Count(stream.Generate(0, countingGenerator(nil))).Err(), "generate: ahead must be at least 1, got 0"},
		{stream.Count(stream.Chan[int](0)).Err(), "chan: ahead must be at least 1, got 0"},
		{stream.Count(stream.Lines[io.Reader](0)).Err(), "lines: ahead must be at least 1, got 0"},
		{stream.Count(stream.Records[io.Reader](0, bufio.ScanWords)).Err(), "records: ahead must be at least 1, got 0"},
		{stream.Count(stream.Records[io.Reader](1, nil)).Err(), "records: the split is nil"},
		{stream.Count(stream.Ticks[int](0)).Err(), "ticks: the period must be positive, got 0s"},
		{stream.Count(stream.Pages[int, int](nil)).Err(), "pages: the step is nil"},
		{stream.Count(stream.Input[int, []int, int](nil, s)).Err(), "input: the function is nil"},

		{stream.Count(stream.Map[[]int, int, int](s, nil)).Err(), "map: the function is nil"},
		{stream.Count(stream.Map(none, double)).Err(), "map: the zero Stream has no source"},
		{stream.Count(stream.Func[[]int, int, int](s, nil)).Err(), "func: the function is nil"},
		{stream.Count(stream.Filter(s, nil)).Err(), "filter: the function is nil"},
		{stream.Count(stream.Distinct[[]int, int, int](s, nil)).Err(), "distinct: the key is nil"},
		{stream.Count(stream.Scan(s, nil, add)).Err(), "scan: a function is nil"},
		{stream.Count(stream.Scan[[]int, int](s, zero, nil)).Err(), "scan: a function is nil"},
		{stream.Count(stream.Expand[[]int, int, int](s, nil)).Err(), "expand: the function is nil"},
		{stream.Count(stream.Await[[]int, int, int](s, one, nil)).Err(), "await: the function is nil"},
		{stream.Count(stream.Await(s, stream.Bound{}, await)).Err(), "await: Bound.Limit must be at least 1, got 0"},
		{stream.Count(stream.Await(s, stream.Bound{Limit: 1, Buffer: -1}, await)).Err(), "await: Bound.Buffer must not be negative, got -1"},
		{stream.Count(stream.Through[[]int, int, int](s, one, nil)).Err(), "through: the steps are nil"},
		{stream.Count(stream.Through(s, one, step.Map[int, int](nil))).Err(), "step.Map: the body is nil"},
		{stream.Count(stream.Through(s, stream.Bound{}, delayByValue)).Err(), "through: Bound.Limit must be at least 1, got 0"},
		{
			stream.Count(stream.Through(s, stream.Bound{Limit: 2, Buffer: math.MaxInt32 - 1}, delayByValue)).Err(),
			"through: Bound.Limit and Bound.Buffer together must be at most 2147483647, got 2 and 2147483646",
		},
		{stream.Count(stream.Partition[[]int, int, int, int](s, one, nil, delayByValue)).Err(), "partition: the key is nil"},
		{stream.Count(stream.Partition(s, stream.Bound{}, double, delayByValue)).Err(), "partition: Bound.Limit must be at least 1, got 0"},
		{stream.Count(stream.Partition[[]int, int, int, int](s, one, double, nil)).Err(), "partition: the steps are nil"},
		{stream.Count(stream.FlatMap(s, stream.Bound{}, stream.Input(plantest.Ints, s))).Err(), "flatmap: Bound.Limit must be at least 1, got 0"},
		{stream.Count(stream.FlatMap[[]int, int, int](s, one, stream.Stream[int, int]{})).Err(), "flatmap: the zero Stream has no source"},
		{stream.Count(stream.FlatMap(s, one, stream.Filter(stream.Input(plantest.Ints, s), nil))).Err(), "filter: the function is nil"},
		{stream.Count(stream.Batch(s, stream.Batching{})).Err(), "batch: Batching.Size must be at least 1, got 0"},
		{stream.Count(stream.Batch(s, stream.Batching{Size: 1, Wait: -1})).Err(), "batch: Batching.Wait must not be negative, got -1ns"},
		{stream.Count(stream.Window(s, 0, 1)).Err(), "window: the size must be at least 1, got 0"},
		{stream.Count(stream.Window(s, 1, 0)).Err(), "window: the step must be at least 1, got 0"},
		{stream.Count(stream.Take(s, -1)).Err(), "take: the number must be at least 0, got -1"},
		{stream.Count(stream.Skip(s, -1)).Err(), "skip: the number must be at least 0, got -1"},
		{stream.Count(stream.Throttle(s, 0, time.Second)).Err(), "throttle: the number must be at least 1, got 0"},
		{stream.Count(stream.Throttle(s, 1, 0)).Err(), "throttle: the period must be positive, got 0s"},
		{stream.Count(stream.Catch[[]int, int, error](s, nil)).Err(), "catch: the handler is nil"},
		{stream.Count(stream.Catch(s, func(*fault.Error) error { return nil })).Err(), "catch: the parameter of the handler must be"},
		{stream.Count(stream.Measure(s, nil)).Err(), "measure: the Progress is nil"},
		{stream.Count(stream.Named("none", none)).Err(), "named: the zero Stream has no source"},
		{stream.Count(stream.Merge(s, none)).Err(), "merge: the zero Stream has no source"},
		{stream.Count(stream.Concat(none)).Err(), "concat: the zero Stream has no source"},
		{stream.Count(stream.Zip(s, none)).Err(), "zip: the zero Stream has no source"},

		{stream.Count(none).Err(), "count: the zero Stream has no source"},
		{stream.Collect(none).Err(), "collect: the zero Stream has no source"},
		{stream.Fold(s, nil, add).Err(), "fold: a function is nil"},
		{stream.Fold[[]int, int](s, zero, nil).Err(), "fold: a function is nil"},
		{stream.ForEach(s, nil).Err(), "foreach: the function is nil"},
		{stream.Consume[[]int, int, int](s, 1, nil).Err(), "consume: the body is nil"},
		{stream.Consume(s, 0, collectAll).Err(), "consume: ahead must be at least 1, got 0"},
		{stream.Write(text, 0, writer).Err(), "write: ahead must be at least 1, got 0"},
		{stream.Write(text, 1, nil).Err(), "write: the function is nil"},
		{stream.Send(s, 0, to).Err(), "send: ahead must be at least 1, got 0"},
		{stream.Send(s, 1, nil).Err(), "send: the function is nil"},
		{stream.Broadcast[[]int, int, int](s, 1).Err(), "broadcast: there is no branch"},
		{stream.Broadcast(s, 1, seen, nil).Err(), "broadcast: a branch is nil"},
		{stream.Broadcast(s, 0, seen).Err(), "broadcast: the buffer must be at least 1, got 0"},
		{stream.Broadcast2[[]int, int, int, int](s, 1, nil, seen).Err(), "broadcast: a branch is nil"},
		{stream.Broadcast2[[]int, int, int, int](s, 1, seen, nil).Err(), "broadcast: a branch is nil"},
		{stream.Broadcast2(s, 0, seen, seen).Err(), "broadcast: the buffer must be at least 1, got 0"},
		{stream.Broadcast2(none, 1, seen, seen).Err(), "broadcast: the zero Stream has no source"},
	} {
		wantRefused(t, bad.err, bad.want)
	}
	_, err := flow.Run(t.Context(), stream.Collect(none), nil)
	wantRefused(t, err, "collect: the zero Stream has no source")
	if err := stream.Count(stream.Func(s, same)).Err(); err != nil {
		t.Error(err)
	}
}

// A second stream on a Feed fails, and so does the zero Feed.
func TestFeedIsReadOnce(t *testing.T) {
	twice := flow.Par2(stream.Collect(fed), stream.Collect(fed))
	_, err := flow.Run(t.Context(), stream.Broadcast(stream.Slice[int](), 10, twice), plantest.Ints(3))
	if !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("two streams on one Feed: %v", err)
	}
	if _, err := flow.Run(t.Context(), stream.Count(fed), feed{}); !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("the zero Feed: %v", err)
	}
	both := stream.Broadcast(stream.Zip(stream.Slice[int](), stream.Slice[int]()), 10, stream.Count(stream.Fed[flow.Pair[int, int]]()))
	for range 2 {
		if n, err := flow.Run(t.Context(), both, plantest.Ints(3)); err != nil || n[0] != 3 {
			t.Error(n, err)
		}
	}
}
