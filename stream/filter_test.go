package stream_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

var passes = step.Map(func(in []int) []int { return in })

func TestFilter(t *testing.T) {
	gives(t, stream.Filter(stream.Slice[int](), func(v int) bool { return v%3 == 0 }), upTo(10), 0, 3, 6, 9)
	gives(t, stream.Filter(stream.Slice[int](), func(v int) bool { return v > 9_998 }), upTo(10_000), 9_999)
	plantest.Gives(t, stream.Count(stream.Filter(stream.Slice[int](), func(int) bool { return false })), upTo(10_000), 0)
}

func TestFilterPanics(t *testing.T) {
	var l letters
	s := stream.Catch(stream.Filter(stream.Slice[int](), func(v int) bool { return 6/v > 1 }), l.take)
	plantest.Gives(t, stream.Collect(s), upTo(5), []int{1, 2, 3})
	l.are(t, "0 InternalError")

	var in letters // in the middle, so that stages before and after it are covered
	s = stream.Catch(stream.Filter(stream.Slice[int](), func(v int) bool { return 6/(v-2) != 2 }), in.take)
	plantest.Gives(t, stream.Collect(s), upTo(7), []int{0, 1, 3, 4, 6})
	in.are(t, "2 InternalError")
}
