package stream_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestWindow(t *testing.T) {
	for _, w := range []struct {
		n, size, step int
		want          [][]int
	}{
		{5, 2, 1, [][]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}}},
		{5, 2, 2, [][]int{{0, 1}, {2, 3}, {4}}},
		{5, 2, 3, [][]int{{0, 1}, {3, 4}}},
		{6, 2, 3, [][]int{{0, 1}, {3, 4}}},
		{7, 2, 3, [][]int{{0, 1}, {3, 4}, {6}}},
		{5, 3, 2, [][]int{{0, 1, 2}, {2, 3, 4}}},
		{4, 3, 2, [][]int{{0, 1, 2}, {2, 3}}},
		{2, 3, 1, [][]int{{0, 1}}},
		{0, 3, 1, nil},
		{5, math.MaxInt, math.MaxInt, [][]int{{0, 1, 2, 3, 4}}},
		{5, 2, math.MaxInt, [][]int{{0, 1}}},
	} {
		got, err := flow.Run(t.Context(), stream.Collect(stream.Window(stream.Slice[int](), w.size, w.step)), plantest.Ints(w.n))
		if diff := cmp.Diff(w.want, got); diff != "" || err != nil {
			t.Errorf("%d by %d and %d (-want +got): %v\n%s", w.n, w.size, w.step, err, diff)
		}
	}
	plantest.WantResult(t, stream.Count(stream.Window(stream.Slice[int](), 1000, 1)), plantest.Ints(3000), 2001)
}

// Elements that were in a window already aren't lost.
func TestWindowCancelled(t *testing.T) {
	var l letterRecorder
	s := stream.Catch(stream.Window(stream.Through(stream.Slice[int](), stream.Bound{Limit: 9}, delayByValue), 2, 1), l.take)
	loop, run := plantest.Start(t, stream.Collect(s), []int{0, 1, 9})
	loop.Advance(2 * time.Millisecond)
	run.Cancel(nil)
	loop.Run()
	l.want(t, "9 Cancelled")
}

func TestWindowFails(t *testing.T) {
	seen := 0
	s := stream.Window(stream.Func(stream.Slice[int](), even), 2, 2)
	_, err := plantest.Run(t, stream.ForEach(s, func([]int) error { seen++; return nil }), []int{0, 2, 4, 5})
	if elementOf(t, err) != 5 || seen != 2 {
		t.Errorf("%d windows, %v", seen, err)
	}
}
