package stream_test

import (
	"math"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestDistinct(t *testing.T) {
	s := stream.Distinct(stream.Slice[int](), func(v int) int { return v % 3 })
	wantElements(t, s, []int{4, 1, 2, 5, 3, 0}, 4, 2, 3)
	plantest.WantResult(t, stream.Count(s), plantest.Ints(1000), 3)
	plantest.WantResult(t, stream.Count(s), nil, 0)
}

func TestDistinctPanics(t *testing.T) {
	var l letterRecorder
	s := stream.Distinct(stream.Slice[int](), func(v int) int { return 6 / v })
	plantest.WantResult(t, stream.Collect(stream.Catch(s, l.take)), []int{1, 0, 1, 6}, []int{1, 6})
	l.want(t, "0 InternalError")
}

func TestDistinctOfNaN(t *testing.T) {
	s := stream.Distinct(stream.Slice[float64](), func(v float64) float64 { return v })
	plantest.WantResult(t, stream.Count(s), []float64{1, math.NaN(), 1, math.NaN()}, 3)
}
