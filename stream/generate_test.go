package stream_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

// countingGenerator returns a generator that yields the numbers below its input, and records how far it has come.
func countingGenerator(given *atomic.Int64) func(context.Context, int, func(int) bool) error {
	return func(_ context.Context, n int, yield func(int) bool) error {
		for i := range n {
			if !yield(i) {
				return nil
			}
			given.Store(int64(i + 1))
		}
		return nil
	}
}

func TestGenerate(t *testing.T) {
	for _, ahead := range []int{1, 2, 100, 10_000} {
		var given atomic.Int64
		got, err := flow.Run(t.Context(), stream.Collect(stream.Generate(ahead, countingGenerator(&given))), 3000)
		if err != nil {
			t.Fatal(err)
		}
		wantInts(t, got, plantest.Ints(3000)...)
	}
}

// The source is at most ahead elements before a stage that takes no more.
func TestGenerateAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var given atomic.Int64
		release := make(chan step.Unit)
		s := stream.Through(stream.Generate(10, countingGenerator(&given)), stream.Bound{Limit: 3, Buffer: 2}, waitForRelease(release))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error)
		go func() {
			_, err := flow.Run(ctx, stream.Count(s), 1000)
			done <- err
		}()
		synctest.Wait()
		if n := given.Load(); n != 15 {
			t.Errorf("the source has given %d elements, want 10 ahead and 5 in the stage", n)
		}
		close(release)
		if err := <-done; err != nil || given.Load() != 1000 {
			t.Errorf("%d elements, %v", given.Load(), err)
		}
	})
}

func TestGenerateEndsEarly(t *testing.T) {
	var given atomic.Int64
	var cause error
	body := func(ctx context.Context, n int, yield func(int) bool) error {
		err := countingGenerator(&given)(ctx, n, yield)
		<-ctx.Done()
		cause = context.Cause(ctx)
		return err
	}
	got, err := flow.Run(t.Context(), stream.Collect(stream.Take(stream.Generate(4, body), 2)), 1_000_000)
	wantInts(t, got, 0, 1)
	if err != nil || given.Load() > 10 || !errors.Is(cause, fault.Cancelled) {
		t.Errorf("%v, %d given, cause %v", err, given.Load(), cause)
	}
}

func TestGenerateFails(t *testing.T) {
	body := func(_ context.Context, n int, yield func(int) bool) error {
		for i := range n {
			yield(i)
		}
		return errOdd
	}
	seen := 0
	_, err := flow.Run(t.Context(), stream.ForEach(stream.Generate(100, body), func(int) error { seen++; return nil }), 500)
	if !errors.Is(err, errOdd) || seen != 500 {
		t.Errorf("%d elements, %v", seen, err)
	}
	_, err = flow.Run(t.Context(), stream.Count(stream.Generate(1, func(context.Context, int, func(int) bool) error { panic("broken") })), 1)
	if !errors.Is(err, fault.InternalError) {
		t.Errorf("got %v", err)
	}
}

// The elements that the goroutine has given have letters, whether the stage has taken them or not.
func TestGenerateCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var given atomic.Int64
		var l letterRecorder
		s := stream.Catch(stream.Through(stream.Generate(2, countingGenerator(&given)), stream.Bound{Limit: 1}, waitForRelease(nil)), l.take)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := flow.Run(ctx, stream.Count(s), 1000); !errors.Is(err, fault.Timeout) {
			t.Errorf("got %v", err)
		}
		if len(l.all) != int(given.Load()) || len(l.all) != 3 {
			t.Errorf("letters %q of %d elements", l.all, given.Load())
		}
	})
}

func TestChan(t *testing.T) {
	ch := make(chan int)
	go func() {
		defer close(ch)
		for i := range 700 {
			ch <- i
		}
	}()
	got, err := flow.Run(t.Context(), stream.Collect(stream.Chan[int](16)), (<-chan int)(ch))
	if err != nil {
		t.Fatal(err)
	}
	wantInts(t, got, plantest.Ints(700)...)
}

func TestChanEndsEarly(t *testing.T) {
	ch := make(chan int, 10)
	for i := range 10 {
		ch <- i
	}
	got, err := flow.Run(t.Context(), stream.Collect(stream.Take(stream.Chan[int](1), 3)), (<-chan int)(ch))
	wantInts(t, got, 0, 1, 2)
	if err != nil || len(ch) < 5 {
		t.Errorf("%v, %d elements are left", err, len(ch))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := flow.Run(ctx, stream.Count(stream.Chan[int](1)), nil); !errors.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
}

// C1: an element that was received is delivered or has a letter. The others are still in the channel.
func TestC1ChanIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ch := make(chan int, 10)
		for i := range 10 {
			ch <- i
		}
		var l letterRecorder
		s := stream.Catch(stream.Through(stream.Chan[int](2), stream.Bound{Limit: 1}, waitForRelease(nil)), l.take)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := flow.Run(ctx, stream.Count(s), (<-chan int)(ch)); !errors.Is(err, fault.Timeout) {
			t.Errorf("got %v", err)
		}
		if len(l.all) != 3 || len(ch) != 7 { // one in the stage, and two in advance
			t.Errorf("letters %q, and %d elements in the channel, of 10", l.all, len(ch))
		}
	})
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
