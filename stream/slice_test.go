package stream_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestSlice(t *testing.T) {
	wantElements(t, stream.Slice[int](), []int{3, 1, 2}, 3, 1, 2)
	wantElements(t, stream.Slice[int](), []int{7}, 7)
	wantElements[[]int, int](t, stream.Slice[int](), nil)
	wantElements[[]int, int](t, stream.Slice[int](), []int{})
}

// Each run has its own elements, though runs share the stages.
func TestSliceIsTheInput(t *testing.T) {
	s := stream.Map(stream.Slice[int](), double)
	wantElements(t, s, []int{1}, 2)
	wantElements(t, s, []int{2, 3}, 4, 6)
	plan := flow.Then(step.Map(plantest.Ints), stream.Count(s))
	if n, err := flow.Run(t.Context(), plan, 1000); n != 1000 || err != nil {
		t.Errorf("%d elements of 1000, %v", n, err)
	}
}
