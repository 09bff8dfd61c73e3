package stream_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

// slowReader takes a minute for each Read and Write, unless its context ends.
type slowReader struct{ ctx context.Context }

func (d slowReader) Read(p []byte) (int, error) {
	waitMinute(d.ctx)
	return copy(p, "\n"), nil
}

func (d slowReader) Write(p []byte) (int, error) {
	waitMinute(d.ctx)
	return len(p), nil
}

func waitMinute(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
	}
}

// contextStages returns plans of stages with goroutines. The goroutines would take hours, or for ever, but
// return when their context ends.
func contextStages(ctx context.Context) map[string]flow.Plan[int, int] {
	endless := stream.Input(func(int) iter.Seq[int] { return stoppable(1000, func() {}) }, stream.Seq[int]())
	generate := stream.Generate(1, func(ctx context.Context, n int, yield func(int) bool) error {
		for v := range 1000 {
			if waitMinute(ctx); !yield(v) {
				return nil
			}
		}
		return nil
	})
	slow := func(ctx context.Context, v int) (int, error) { waitMinute(ctx); return v, nil }
	lines := stream.Input(func(int) io.Reader { return slowReader{ctx} }, stream.Lines[io.Reader](1))
	text := stream.Map(endless, func(int) string { return strings.Repeat("x", 1<<16) }) // more than the buffer of Write has room for
	return map[string]flow.Plan[int, int]{
		"Generate":         stream.Count(generate),
		"Chan":             stream.Count(stream.Input(func(int) <-chan int { return nil }, stream.Chan[int](1))),
		"Lines":            stream.Count(lines),
		"Await":            stream.Count(stream.Await(endless, stream.Bound{Limit: 2, Buffer: 3}, slow)),
		"Await, unordered": stream.Count(stream.Await(endless, stream.Bound{Limit: 2, Unordered: true}, slow)),
		"Await, idle":      stream.Count(stream.Await(generate, stream.Bound{Limit: 3}, slow)),
		"FlatMap":          stream.Count(stream.FlatMap(endless, stream.Bound{Limit: 2}, generate)),
		"Consume": stream.Consume(endless, 1, func(ctx context.Context, _ int, all iter.Seq[int]) (n int, err error) {
			for range all {
				waitMinute(ctx)
				n++
			}
			return n, nil
		}),
		"Send": stream.Send(endless, 1, func(int) chan<- int { return nil }),
		"Write": flow.Then(stream.Write(text, 1, func(int) io.Writer { return slowReader{ctx} }),
			step.Map(func(n int64) int { return int(n) })),
		"Broadcast": flow.Then(stream.Broadcast(generate, 1, stream.Count(stream.Fed[int]()), stream.Count(stream.Fed[int]())),
			step.Map(func(n []int) int { return n[0] })),
		"All": flow.Of(step.Await(func(ctx context.Context, in int) (n int, _ error) {
			for _, err := range stream.All(ctx, generate, in) {
				if err != nil {
					return 0, err
				}
				n++
			}
			return n, nil
		}).Stage()),
	}
}

// K3: when the run of a stream in the acquire of a Bracket, or in the do of an Undo, is cancelled, the stream ends
// when its goroutines have returned. It fails, because it isn't complete.
func TestK3StreamInAnAcquireEndsWithItsGoroutines(t *testing.T) {
	var released int
	forms := map[string]func(s flow.Plan[int, int]) flow.Plan[int, int]{
		"acquire": func(s flow.Plan[int, int]) flow.Plan[int, int] {
			release := step.Map(func(flow.Ended[int, int]) step.Unit { released++; return step.Unit{} })
			return flow.Bracket(s, step.Map(double), release)
		},
		"do": func(s flow.Plan[int, int]) flow.Plan[int, int] {
			return flow.Saga(flow.Undo(s, step.Map(func(int) step.Unit { released++; return step.Unit{} })))
		},
	}
	for form, around := range forms {
		for name := range contextStages(t.Context()) {
			t.Run(form+", "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					loop := tool.Start(tool.Options{Grace: -1})
					run := flow.Start(t.Context(), loop, around(contextStages(ctx)[name]), 0)
					time.Sleep(90 * time.Second)
					began := time.Now()
					run.Cancel(errOdd)
					cancel() // ends the context of readers and writers
					if _, err := run.Wait(t.Context()); !errors.Is(err, fault.Cancelled) || !errors.Is(err, errOdd) {
						t.Errorf("ended with %v", err)
					}
					if took := time.Since(began); took > 0 {
						t.Errorf("ended after %v", took)
					}
					if err := loop.Shutdown(t.Context()); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
	if released != 0 {
		t.Errorf("what wasn't complete was given back %d times", released)
	}
}
