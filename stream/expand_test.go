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

func below(n int) iter.Seq[int] {
	if n == 0 {
		return nil
	}
	return slices.Values(plantest.Ints(n))
}

func TestExpand(t *testing.T) {
	s := stream.Expand(stream.Slice[int](), below)
	wantElements(t, s, []int{2, 0, 3}, 0, 1, 0, 1, 2)
	plantest.WantResult(t, stream.Count(s), []int{1000, 0, 1, 256, 257}, 1514)
	plantest.WantResult(t, stream.Count(s), make([]int, 1000), 0)
	plantest.WantResult(t, stream.Count(s), nil, 0)
}

func TestExpandEndsEarly(t *testing.T) {
	asked, stopped := 0, false
	s := stream.Expand(stream.Slice[int](), func(int) iter.Seq[int] { return numbers(&asked, &stopped) })
	plantest.WantResult(t, stream.Count(stream.Take(s, 300)), []int{1, 2}, 300)
	if asked != 300 || !stopped {
		t.Errorf("asked for %d, stopped is %t", asked, stopped)
	}
}

func TestExpandFails(t *testing.T) {
	s := stream.Expand(stream.Slice[int](), func(v int) iter.Seq[int] { return below(6 / v) })
	if _, err := plantest.Run(t, stream.Count(s), []int{3, 0}); !errors.Is(err, fault.InternalError) {
		t.Errorf("got %v", err)
	}
	s = stream.Expand(stream.Func(stream.Slice[int](), even), below)
	if _, err := plantest.Run(t, stream.Count(s), []int{2, 3}); elementOf(t, err) != 3 {
		t.Errorf("got %v", err)
	}
}
