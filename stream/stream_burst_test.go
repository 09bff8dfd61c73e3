package stream_test

import (
	"context"
	"iter"
	"math"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A stage that gathers elements of a source that never waits lets others on the loop work, and can be cancelled.
func TestGatheringYields(t *testing.T) {
	const size = math.MaxInt32 / 2
	all := stream.Bound{Limit: 1, Buffer: size}
	same := step.Delay[int](1)
	for name, count := range map[string]func(s stream.Stream[iter.Seq[int], int]) flow.Plan[iter.Seq[int], int]{
		"Batch": func(s stream.Stream[iter.Seq[int], int]) flow.Plan[iter.Seq[int], int] {
			return stream.Count(stream.Batch(s, stream.Batching{Size: size}))
		},
		"Batch with a wait": func(s stream.Stream[iter.Seq[int], int]) flow.Plan[iter.Seq[int], int] {
			return stream.Count(stream.Batch(s, stream.Batching{Size: size, Wait: 1}))
		},
		"Window": func(s stream.Stream[iter.Seq[int], int]) flow.Plan[iter.Seq[int], int] {
			return stream.Count(stream.Window(s, size, size))
		},
		"Window that skips": func(s stream.Stream[iter.Seq[int], int]) flow.Plan[iter.Seq[int], int] {
			return stream.Count(stream.Window(s, 1, size))
		},
		"Through": func(s stream.Stream[iter.Seq[int], int]) flow.Plan[iter.Seq[int], int] {
			return stream.Count(stream.Through(s, all, same))
		},
	} {
		t.Run(name, func(t *testing.T) {
			taken := 0
			endless := func(yield func(int) bool) {
				for taken < 3_000_000 && yield(taken) {
					taken++
				}
			}
			loop := tooltest.New()
			run := flow.Start(t.Context(), loop, count(stream.Seq[int]()), endless)
			if _, err := loop.Immediate(func() { run.Cancel(nil) }); err != nil {
				t.Fatal(err)
			}
			loop.Run()
			_, err := run.Result()
			if plantest.WantCode(t, err, fault.Cancelled); taken > 100_000 {
				t.Errorf("%d elements were taken before the cancel acted", taken)
			}
		})
	}
	t.Run("Await", func(t *testing.T) {
		taken := 0
		endless := func(yield func(int) bool) {
			for taken < 3_000_000 && yield(taken) {
				taken++
			}
		}
		loop := tool.Start(tool.Options{})
		s := stream.Await(stream.Seq[int](), all, func(ctx context.Context, v int) (int, error) {
			<-ctx.Done()
			return v, ctx.Err()
		})
		run := flow.Start(t.Context(), loop, stream.Count(s), endless)
		run.Cancel(nil)
		_, err := run.Wait(t.Context())
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if plantest.WantCode(t, err, fault.Cancelled); taken > 100_000 {
			t.Errorf("%d elements were taken before the cancel acted", taken)
		}
	})
}
