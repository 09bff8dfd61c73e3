package stream_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func zero() int { return 0 }

func add(acc, v int) int { return acc + v }

func TestScan(t *testing.T) {
	s := stream.Scan(stream.Slice[int](), zero, add)
	wantElements(t, s, []int{1, 2, 3}, 1, 3, 6)
	wantElements(t, s, []int{1, 2, 3}, 1, 3, 6) // each run begins with the initial value
	plantest.WantResult(t, stream.Fold(s, zero, func(_, v int) int { return v }), plantest.Ints(1000), 999*500)
}

func TestScanPanics(t *testing.T) {
	var l letterRecorder
	s := stream.Scan(stream.Slice[int](), func() int { return 1 }, func(acc, v int) int { return acc + 12/v })
	plantest.WantResult(t, stream.Collect(stream.Catch(s, l.take)), []int{3, 0, 4}, []int{5, 8})
	l.want(t, "0 InternalError")
}
