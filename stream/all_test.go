package stream_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestAll(t *testing.T) {
	s := stream.Through(stream.Map(stream.Slice[int](), double), stream.Bound{Limit: 5}, step.Map(double))
	for range 2 {
		n := 0
		for v, err := range stream.All(t.Context(), s, upTo(1000)) {
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
	ints(t, seen, 2, 4)
	if elementOf(t, last) != 5 {
		t.Errorf("got %v", last)
	}
}

// An error of a stage may be the one of another run, which hasn't ended.
func TestAllFailsWithTheErrorOfAnotherRun(t *testing.T) {
	early := fmt.Errorf("asked too early: %w", flow.ErrRunning)
	s := stream.Func(stream.Slice[int](), func(int) (int, error) { return 0, early })
	for _, err := range stream.All(t.Context(), s, []int{1, 2}) {
		if !errors.Is(err, early) {
			t.Errorf("got %v", err)
		}
	}
}

// The source is stopped, and its goroutine has ended; the elements that it has given are counted.
func TestAllIsLeft(t *testing.T) {
	var given atomic.Int64
	var p stream.Progress
	for v := range stream.All(t.Context(), stream.Map(stream.Measure(stream.Generate(10, counts(&given)), &p), double), 1_000_000) {
		if v == 6 {
			break
		}
	}
	if n := p.Counts(); n.Taken != given.Load() || n.Passed+n.Lost != n.Taken || n.Taken > 100 {
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
	for range stream.All(t.Context(), stream.Generate(10, counts(&given)), 1000) {
		panic("mine")
	}
}

func TestAllCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var given atomic.Int64
	var last error
	for _, err := range stream.All(ctx, stream.Generate(10, counts(&given)), 1_000_000_000) {
		cancel()
		last = err
	}
	if !errors.Is(last, fault.Cancelled) {
		t.Errorf("got %v", last)
	}
	for _, err := range stream.All(t.Context(), stream.Stream[int, int]{}, 1) {
		refused(t, err, "all: the zero Stream")
	}
}
