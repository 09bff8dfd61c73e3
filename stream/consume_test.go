package stream_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func waitForRelease(release <-chan step.Unit) step.Step[int, int] {
	return step.Await(func(ctx context.Context, in int) (int, error) {
		select {
		case <-release:
			return in, nil
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	})
}

func collectAll(_ context.Context, _ []int, elements iter.Seq[int]) ([]int, error) {
	return slices.Collect(elements), nil
}

func TestConsume(t *testing.T) {
	for _, ahead := range []int{1, 3, 1000} {
		got, err := flow.Run(t.Context(), stream.Consume(stream.Map(stream.Slice[int](), double), ahead, collectAll), plantest.Ints(2000))
		if err != nil {
			t.Fatal(err)
		}
		wantInts(t, got, doubledInts(2000)...)
	}
}

func TestConsumeSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var given atomic.Int64
		release := make(chan step.Unit)
		p := stream.Consume(stream.Generate(4, countingGenerator(&given)), 6, func(_ context.Context, _ int, elements iter.Seq[int]) (int, error) {
			<-release
			return len(slices.Collect(elements)), nil
		})
		done := make(chan int)
		go func() {
			n, _ := flow.Run(t.Context(), p, 1000)
			done <- n
		}()
		synctest.Wait()
		if n := given.Load(); n != 10 {
			t.Errorf("the source has given %d elements, want 4 and 6 ahead", n)
		}
		close(release)
		if n := <-done; n != 1000 {
			t.Errorf("consumed %d", n)
		}
	})
}

func TestConsumeStops(t *testing.T) {
	var l letterRecorder
	var given atomic.Int64
	s := stream.Catch(stream.Generate(10, countingGenerator(&given)), l.take)
	n, err := flow.Run(t.Context(), stream.Consume(s, 5, func(_ context.Context, _ int, elements iter.Seq[int]) (int, error) {
		for v := range elements {
			if v == 2 {
				return v, nil
			}
		}
		return -1, nil
	}), 1_000_000)
	if n != 2 || err != nil || given.Load() > 1000 {
		t.Errorf("%d, %v, %d given", n, err, given.Load())
	}
}

func TestConsumeFails(t *testing.T) {
	s := stream.Slice[int]()
	_, err := flow.Run(t.Context(), stream.Consume(s, 5, func(context.Context, []int, iter.Seq[int]) (int, error) { return 0, errOdd }), plantest.Ints(500))
	if !errors.Is(err, errOdd) {
		t.Errorf("got %v", err)
	}
	_, err = flow.Run(t.Context(), stream.Consume(s, 5, func(context.Context, []int, iter.Seq[int]) (int, error) { panic("broken") }), plantest.Ints(500))
	if !errors.Is(err, fault.InternalError) {
		t.Errorf("got %v", err)
	}
}

// When the stream fails, the range and the context of the body end.
func TestConsumeOfAStreamThatFails(t *testing.T) {
	var n int
	var cause error
	_, err := flow.Run(t.Context(), stream.Consume(stream.Func(stream.Slice[int](), even), 1, func(ctx context.Context, _ []int, elements iter.Seq[int]) (int, error) {
		for range elements {
			n++
		}
		<-ctx.Done()
		cause = context.Cause(ctx)
		return 0, nil
	}), []int{2, 4, 5})
	if elementOf(t, err) != 5 || n > 2 || cause == nil {
		t.Errorf("%v, %d elements, cause %v", err, n, cause)
	}
}

// If the stream is cancelled, the body still gets the elements that have reached the consumer.
func TestConsumeGivesWhatWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var p stream.Progress
	var got []int
	s := stream.Measure(stream.Slice[int](), &p)
	_, err := flow.Run(ctx, stream.Consume(s, 100, func(ctx context.Context, _ []int, elements iter.Seq[int]) (int, error) {
		cancel()
		<-ctx.Done()
		got = slices.Collect(elements)
		return 0, nil
	}), plantest.Ints(1000))
	if n := p.Counts(); err == nil || int64(len(got)) != n.Out {
		t.Errorf("%v, %d elements of %+v", err, len(got), n)
	}
}

func TestConsumeRangesTwice(t *testing.T) {
	for _, ahead := range []int{1, 3, 1000} {
		got, err := flow.Run(t.Context(), stream.Consume(stream.Slice[int](), ahead, func(_ context.Context, _ []int, elements iter.Seq[int]) (got []int, _ error) {
			for range 3 {
				for v := range elements {
					if got = append(got, v); v%2 == 1 {
						break
					}
				}
			}
			return append(got, slices.Collect(elements)...), nil
		}), plantest.Ints(9))
		if err != nil {
			t.Fatal(err)
		}
		wantInts(t, got, plantest.Ints(9)...)
	}
}

// C1: if the body outlives the grace, each element was either given to it or is reported as lost.
func TestC1ConsumeOutlivesTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, lost := []int{}, int64(0)
		ended := make(chan step.Unit)
		told := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
			return ctx, func(e observe.Event) {
				if stages, last := e.Stages(); last {
					lost = stages[1].Lost
				}
			}
		})
		plan := stream.Consume(stream.Slice[int](), 100, func(_ context.Context, _ []int, elements iter.Seq[int]) (int, error) {
			defer close(ended)
			for v := range elements {
				got = append(got, v)
				time.Sleep(time.Minute)
			}
			return 0, nil
		})
		var reported []error // about the goroutine that is left behind
		_, err := onLoop(observe.With(t.Context(), told), t, flow.Timeout(time.Second, plan), plantest.Ints(10), &reported)
		<-ended
		if !errors.Is(err, fault.Timeout) || int64(len(got))+lost != 10 || len(got) != 1 || len(reported) != 1 {
			t.Errorf("%v; the body has taken %v, and %d are lost; reported %v", err, got, lost, reported)
		}
	})
}

func TestConsumeNestedRange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []int
		sum := stream.Consume(stream.Slice[int](), 3, func(_ context.Context, _ []int, elements iter.Seq[int]) (int, error) {
			for v := range elements {
				got = append(got, v)
				for w := range elements {
					if got = append(got, w); w%10 == 9 {
						break
					}
				}
			}
			return len(got), nil
		})
		n, err := flow.Run(t.Context(), sum, plantest.Ints(100))
		if n != 100 || err != nil || !slices.Equal(got, plantest.Ints(100)) {
			t.Errorf("%d, %v: %v", n, err, got)
		}
	})
}
