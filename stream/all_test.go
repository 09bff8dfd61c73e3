package stream_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestAll(t *testing.T) {
	s := stream.Through(stream.Map(stream.Slice[int](), double), stream.Bound{Limit: 5}, step.Map(double))
	for range 2 {
		n := 0
		for v, err := range stream.All(t.Context(), s, plantest.Ints(1000)) {
			if v != 4*n || err != nil {
				t.Fatalf("element %d is %d, %v", n, v, err)
			}
			n++
		}
		if n != 1000 {
			t.Errorf("%d elements", n)
		}
	}
}

func TestAllFails(t *testing.T) {
	var seen []int
	var last error
	for v, err := range stream.All(t.Context(), stream.Func(stream.Slice[int](), even), []int{2, 4, 5, 6}) {
		if last = err; err == nil {
			seen = append(seen, v)
		}
	}
	wantInts(t, seen, 2, 4)
	if elementOf(t, last) != 5 {
		t.Errorf("got %v", last)
	}
}

// A stage may fail with the error of another run that hasn't ended.
func TestAllFailsWithTheErrorOfAnotherRun(t *testing.T) {
	early := fmt.Errorf("asked too early: %w", flow.ErrRunning)
	s := stream.Func(stream.Slice[int](), func(int) (int, error) { return 0, early })
	for _, err := range stream.All(t.Context(), s, []int{1, 2}) {
		if !errors.Is(err, early) {
			t.Errorf("got %v", err)
		}
	}
}

// When the range is left, the source is stopped, and the elements that it has given are counted.
func TestAllIsLeft(t *testing.T) {
	var given atomic.Int64
	var p stream.Progress
	for v := range stream.All(t.Context(), stream.Map(stream.Measure(stream.Generate(10, countingGenerator(&given)), &p), double), 1_000_000) {
		if v == 6 {
			break
		}
	}
	if n := p.Counts(); n.In != given.Load() || n.Out+n.Lost != n.In || n.In > 100 {
		t.Errorf("%+v of %d elements", n, given.Load())
	}
}

func TestAllPanicOfTheBody(t *testing.T) {
	var given atomic.Int64
	defer func() {
		if v := recover(); v != "mine" {
			t.Errorf("recovered %v", v)
		}
	}()
	for range stream.All(t.Context(), stream.Generate(10, countingGenerator(&given)), 1000) {
		panic("mine")
	}
}

func TestAllCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var given atomic.Int64
	var last error
	for _, err := range stream.All(ctx, stream.Generate(10, countingGenerator(&given)), 1_000_000_000) {
		cancel()
		last = err
	}
	if !errors.Is(last, fault.Cancelled) {
		t.Errorf("got %v", last)
	}
	for _, err := range stream.All(t.Context(), stream.Stream[int, int]{}, 1) {
		wantRefused(t, err, "all: the zero Stream")
	}
}

// rangeOver ranges over s on a goroutine of its own, which the stream may end.
func rangeOver(ctx context.Context, s stream.Stream[int, int], in int, body func(v int) bool) {
	var done sync.WaitGroup
	done.Go(func() {
		for v, err := range stream.All(ctx, s, in) {
			if err == nil && !body(v) {
				return
			}
		}
	})
	done.Wait()
}

// V1: a stream whose functions end the goroutine again and again, also while it is left, is left to its end: elements
// are accounted for, iterators stopped, and observers told.
func TestV1AllFunctionsEndTheGoroutine(t *testing.T) {
	ends := func(as step.Scope, v int) step.Next[int] {
		step.StackCleanup(as, func(*int) { runtime.Goexit() })
		if v%5 == 4 {
			runtime.Goexit()
		}
		return step.Wait(as, func(done step.Done[int]) {
			as.SetCancel(runtime.Goexit)
			_, _ = as.Loop().Immediate(func() { done.Succeed(v) })
		})
	}
	for _, limit := range []int{1, 3, 20} {
		leaktest.Check(t)
		var p stream.Progress
		heard, begun, ended := 0, 0, 0
		ctx := observe.With(t.Context(), observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
			begun++
			return ctx, func(e observe.Event) {
				if e.Kind == observe.RunEnd {
					ended++
				}
			}
		}))
		numbers := stream.Input(func(n int) iter.Seq[int] { return stoppable(n, runtime.Goexit) }, stream.Seq[int]())
		s := stream.Through(stream.Measure(numbers, &p), stream.Bound{Limit: limit, Buffer: 2}, step.New(ends))
		s = stream.Catch(s, func(error) error {
			heard++
			runtime.Goexit()
			return nil
		})
		rangeOver(ctx, s, 50, func(int) bool {
			heard++
			return true
		})
		if n := p.Counts(); int64(heard) != n.In || n.In == 0 {
			t.Errorf("limit %d: %+v, heard of %d", limit, n, heard)
		}
		if begun != 1 || ended != 1 {
			t.Errorf("limit %d: observers were told of %d beginnings and %d ends", limit, begun, ended)
		}
	}
}

// Errors that have no other recipient go to the error handler in the options of the context.
func TestAllHasTheOptionsOfItsContext(t *testing.T) {
	var reported []error
	ctx := flow.WithOptions(t.Context(), tool.Options{OnError: func(err error) { reported = append(reported, err) }})
	hours := step.DelayBy(func(_ step.Scope, v int) time.Duration { return time.Duration(v) * time.Hour })
	s := stream.Through(stream.Slice[int](), stream.Bound{Limit: 3}, hours)
	for range stream.All(ctx, stream.Catch(s, func(err error) error { return err }), plantest.Ints(3)) {
		break
	}
	if len(reported) != 1 || elementOf(t, reported[0]) != 1 {
		t.Errorf("reported: %v", reported)
	}
}
