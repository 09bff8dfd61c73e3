package stream_test

import (
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestSeq(t *testing.T) {
	for _, n := range []int{0, 1, 256, 257, 1000} {
		plantest.WantResult(t, stream.Count(stream.Seq[int]()), slices.Values(plantest.Ints(n)), n)
	}
	wantElements(t, stream.Seq[int](), slices.Values(plantest.Ints(3)), 0, 1, 2)
	plantest.WantResult(t, stream.Count(stream.Seq[int]()), nil, 0)
	plantest.WantResult(t, stream.Count(stream.Seq2[int]()), nil, 0)
}

func TestSeqPanics(t *testing.T) {
	for _, n := range []int{3, 300} {
		var in iter.Seq[int] = func(yield func(int) bool) {
			for i := range n {
				if !yield(i) {
					return
				}
			}
			panic("no more")
		}
		if _, err := plantest.Run(t, stream.Count(stream.Seq[int]()), in); !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
	}
}

func TestSeq2(t *testing.T) {
	for _, n := range []int{0, 2, 256, 300} {
		var seen []int
		var in iter.Seq2[int, error] = func(yield func(int, error) bool) {
			for i := range n {
				if !yield(i, nil) {
					return
				}
			}
			yield(0, errOdd)
		}
		_, err := plantest.Run(t, stream.ForEach(stream.Seq2[int](), func(v int) error { seen = append(seen, v); return nil }), in)
		if !errors.Is(err, errOdd) || len(seen) != n {
			t.Errorf("%d elements, %v; want %d", len(seen), err, n)
		}
	}
}
