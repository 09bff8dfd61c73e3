package stream_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

// A stream fails if its loop refuses it a goroutine, and says why.
func TestLoopRefusesTheGoroutine(t *testing.T) {
	numbers := stream.Slice[int]()
	channel := stream.Input(func([]int) <-chan int { return make(chan int) }, stream.Chan[int](1))
	lines := stream.Input(func([]int) io.Reader { return strings.NewReader("1\n") }, stream.Lines[io.Reader](1))
	text := func(int) string { return "" }
	plans := map[string]step.Step[[]int, int]{
		"Await": stream.Count(stream.Await(numbers, stream.Bound{Limit: 2}, doubleAwait)),
		"Generate": stream.Count(stream.Generate(1, func(context.Context, []int, func(int) bool) error {
			return nil
		})),
		"Chan":  stream.Count(channel),
		"Lines": stream.Count(lines),
		"Consume": stream.Consume(numbers, 1, func(context.Context, []int, iter.Seq[int]) (int, error) {
			return 0, nil
		}),
		"Write": flow.Then(stream.Write(stream.Map(numbers, text), 1, func([]int) io.Writer { return io.Discard }),
			step.Map(func(n int64) int { return int(n) })),
		"Send": stream.Send(numbers, 1, func([]int) chan<- int { return make(chan int, 3) }),
	}
	for how, refuses := range map[string]struct {
		by   tool.HostOption
		says string
	}{
		"deterministic": {tool.WithDeterministic(), "needs a goroutine"},
		"panic":         {tool.WithWork(func(tool.Work) (func(error), bool) { panic("no place") }), "no place"},
		"Goexit":        {tool.WithWork(func(tool.Work) (func(error), bool) { runtime.Goexit(); return nil, false }), "runtime.Goexit"},
	} {
		for name, plan := range plans {
			t.Run(how+", "+name, func(t *testing.T) {
				loop := tool.Start(tool.Options{Host: []tool.HostOption{refuses.by}})
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				_, err := flow.Start(ctx, loop, plan, plantest.Ints(3)).Wait(context.Background())
				if !errors.Is(err, fault.InternalError) || !strings.Contains(err.Error(), refuses.says) {
					t.Errorf("got %v, want %q", err, refuses.says)
				}
				if err := loop.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
