package temporal_test

import (
	"bufio"
	"context"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

var upTo = stream.Input(func(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}, stream.Slice[int]())

var square = flow.Named("square", step.Await(func(_ context.Context, n int) (int, error) { return n * n, nil }))

func add(sum, n int) int { return sum*10 + n }

func zero() int { return 0 }

// streams holds streams whose stages stay on the loop of the run, so the steps in them may be activities.
var streams = map[string]step.Step[int, int]{
	"plain":     stream.Fold(stream.Map(stream.Filter(upTo, func(n int) bool { return n%2 == 1 }), func(n int) int { return n + 1 }), zero, add),
	"through":   stream.Fold(stream.Through(upTo, stream.Bound{Limit: 2}, square), zero, add),
	"partition": stream.Fold(stream.Partition(upTo, stream.Bound{Limit: 2}, func(n int) int { return n % 3 }, square), zero, add),
	"throttled": stream.Fold(stream.Throttle(upTo, 1, 20*time.Millisecond), zero, add),
	"batches":   stream.Count(stream.Batch(upTo, stream.Batching{Size: 2})),
	"merged":    stream.Count(stream.Merge(upTo, stream.Through(upTo, stream.Bound{Limit: 1}, square))),
}

// A stream on the loop of the run has the same result in a workflow.
func TestStreams(t *testing.T) {
	for name, plan := range streams {
		want, err := flow.Run(t.Context(), plan, 5)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := durabletest.Run(durable.New("streams", plan), 5); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", name, got, err, want)
		}
	}
}

func TestStreamsWithGoroutines(t *testing.T) {
	through := func(s step.Step[int, int]) step.Step[int, int] {
		return flow.Then(step.Map(func(n int) int { return n }), s)
	}
	counts := stream.Generate(1, func(_ context.Context, n int, yield func(int) bool) error {
		for i := 0; i < n && yield(i); i++ {
		}
		return nil
	})
	text := func(int) *strings.Reader { return strings.NewReader("a") }
	count := func(_ context.Context, n int, all iter.Seq[int]) (int, error) {
		return n + len(slices.Collect(all)), nil
	}
	names := stream.Map(upTo, strconv.Itoa)
	at := map[string]string{
		"generate": "/0 generate", "chan": "/0/input.N/0 chan", "lines": "/0/input.N/0 lines", "records": "/0/input.N/0 records",
		"await": "/1 await", "consume": " consume", "write": " write", "send": " send",
	}
	for name, plan := range map[string]step.Step[int, int]{
		"generate": stream.Count(counts),
		"await":    stream.Count(stream.Await(upTo, stream.Bound{Limit: 2}, func(_ context.Context, n int) (int, error) { return n, nil })),
		"chan":     stream.Count(stream.Input(func(int) <-chan int { return nil }, stream.Chan[int](1))),
		"lines":    stream.Count(stream.Input(text, stream.Lines[*strings.Reader](1))),
		"records":  stream.Count(stream.Input(text, stream.Records[*strings.Reader](1, bufio.ScanWords))),
		"consume":  stream.Consume(upTo, 1, count),
		"write":    flow.Then(stream.Write(names, 1, func(int) io.Writer { return io.Discard }), step.Map(func(n int64) int { return int(n) })),
		"send":     stream.Send(upTo, 1, func(int) chan<- int { return nil }),
	} {
		err := durable.New("bad", through(plan)).Err()
		if want := "bad.1" + at[name] + ": its goroutines can't be repeated"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func TestOn(t *testing.T) {
	loops := tool.NewGroup(1, tool.Options{})
	defer func() { _ = loops.Shutdown(context.Background()) }()
	if got, err := durabletest.Run(durable.New("on", onPlan(loops)), 3); err != nil || got != 3*3+4*4 {
		t.Errorf("got %d, %v", got, err)
	}
}

func onPlan(loops *tool.Group) step.Step[int, int] {
	next := flow.On(loops, flow.Then(step.Map(func(n int) int { return n + 1 }), step.Delay[int](10*time.Millisecond)))
	return flow.Then(flow.Par2(flow.On(loops, square), flow.Then(next, flow.On(loops, square))),
		step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
}

// The plans are the streams, and one with flow.On. Their histories replay.
func TestStreamsOnServer(t *testing.T) {
	c := serve(t).client()
	loops := tool.NewGroup(1, tool.Options{})
	defer func() { _ = loops.Shutdown(context.Background()) }()
	plans := map[string]step.Step[int, int]{"on": onPlan(loops)}
	maps.Copy(plans, streams)
	workflows := make(map[string]*durable.Workflow[int, int])
	var registers []func(temporal.Registry) error
	for name, plan := range plans {
		workflows[name] = durable.New("streams "+name, plan)
		registers = append(registers, temporal.Of(workflows[name]).Register)
	}
	work(t, c, "streams", registers...)
	for name, w := range workflows {
		t.Run(name, func(t *testing.T) {
			want, err := flow.Run(t.Context(), plans[name], 5)
			if err != nil {
				t.Fatal(err)
			}
			run, err := w.Start(t.Context(), temporal.Engine(c, "streams"), name, 5)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := run.Wait(withinLimit(t)); err != nil || got != want {
				t.Errorf("got %d, %v, want %d", got, err, want)
			}
			if err = replay(t, c, w, name); err != nil {
				t.Error(err)
			}
		})
	}
}
