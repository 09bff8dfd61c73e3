package stream_test

import (
	"iter"
	"testing"

	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

// numbers returns an endless iterator that records in asked how often it was asked, and in
// stopped that it was stopped.
func numbers(asked *int, stopped *bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() { *stopped = true }()
		for i := 0; ; i++ {
			*asked = i + 1
			if !yield(i) {
				return
			}
		}
	}
}

func TestTake(t *testing.T) {
	for _, n := range []int{1, 3, 256, 257, 1000} {
		var asked int
		var stopped bool
		plantest.WantResult(t, stream.Collect(stream.Take(stream.Map(stream.Seq[int](), double), n)), numbers(&asked, &stopped), doubledInts(n))
		if asked != n || !stopped {
			t.Errorf("take %d: the source was asked for %d, stopped is %t", n, asked, stopped)
		}
	}
	plantest.WantResult(t, stream.Count(stream.Take(stream.Slice[int](), 5)), plantest.Ints(3), 3)
	plantest.WantResult(t, stream.Count(stream.Take(stream.Slice[int](), 0)), plantest.Ints(3), 0)
}

func doubledInts(n int) []int {
	all := plantest.Ints(n)
	for i := range all {
		all[i] *= 2
	}
	return all
}

func TestSkip(t *testing.T) {
	wantElements(t, stream.Skip(stream.Slice[int](), 3), plantest.Ints(5), 3, 4)
	wantElements(t, stream.Skip(stream.Slice[int](), 0), plantest.Ints(2), 0, 1)
	wantElements(t, stream.Skip(stream.Slice[int](), 599), plantest.Ints(600), 599)
	plantest.WantResult(t, stream.Count(stream.Skip(stream.Slice[int](), 5)), plantest.Ints(3), 0)
}
