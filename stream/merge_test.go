package stream_test

import (
	"errors"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

// delayed returns a stream of the elements that f makes of the input. They come one by one, each after as many
// milliseconds as its value.
func delayed(f func([]int) []int) stream.Stream[[]int, int] {
	return stream.Input(f, stream.Through(stream.Slice[int](), stream.Bound{Limit: 1}, delayByValue))
}

func firsts(in []int) []int  { return in[:len(in)/2] }
func seconds(in []int) []int { return in[len(in)/2:] }

func TestMerge(t *testing.T) {
	// 3 and 3 come at 3 and 6 ms, 1 and 4 at 1 and 5 ms
	wantElements(t, stream.Merge(delayed(firsts), delayed(seconds)), []int{3, 3, 1, 4}, 1, 3, 4, 3)
	plantest.WantResult(t, stream.Count(stream.Merge[[]int, int]()), nil, 0)
	s := stream.Slice[int]()
	plantest.WantResult(t, stream.Count(stream.Merge(s, s, s)), plantest.Ints(1000), 3000)
}

// The streams take turns, even if the first one always has an element.
func TestMergeTakesTurns(t *testing.T) {
	s := stream.Merge(stream.Map(stream.Slice[int](), double), stream.Slice[int]())
	got, err := plantest.Run(t, stream.Collect(stream.Take(s, 512)), plantest.Ints(1000))
	if err != nil || !slices.Contains(got, 255) || !slices.Contains(got, 510) {
		t.Error("one of them was left behind", err)
	}
}

func TestMergeFails(t *testing.T) {
	var given atomic.Int64
	fails := stream.Func(stream.Slice[int](), even)
	s := stream.Merge(stream.Input(func(n int) []int { return []int{n - 1} }, fails), stream.Generate(10, countingGenerator(&given)))
	if _, err := flow.Run(t.Context(), stream.Count(s), 1_000_000); !errors.Is(err, errOdd) {
		t.Errorf("got %v", err)
	}
}

// posingError matches the error that means the end of a stream.
type posingError struct{}

func (posingError) Error() string { return "poses" }
func (posingError) Is(target error) bool {
	return strings.Contains(target.Error(), "the stream is over")
}

func TestMergeFailsWithAnErrorThatPoses(t *testing.T) {
	fails := stream.Input(func([]int) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) { yield(0, posingError{}) }
	}, stream.Seq2[int]())
	n, err := plantest.Run(t, stream.Count(stream.Merge(fails, stream.Slice[int]())), plantest.Ints(3))
	if _, same := errors.AsType[posingError](err); !same {
		t.Errorf("got %d, %v", n, err)
	}
}

func TestMergeCancelled(t *testing.T) {
	var l letterRecorder
	loop, run := plantest.Start(t, stream.Count(stream.Catch(stream.Merge(delayed(firsts), delayed(seconds)), l.take)), []int{9, 8})
	loop.Advance(time.Millisecond)
	run.Cancel(nil)
	loop.Run()
	l.want(t, "9 Cancelled", "8 Cancelled")
}

func TestConcat(t *testing.T) {
	wantElements(t, stream.Concat(delayed(firsts), stream.Slice[int](), delayed(seconds)), []int{3, 3, 1, 4}, 3, 3, 3, 3, 1, 4, 1, 4)
	plantest.WantResult(t, stream.Count(stream.Concat[[]int, int]()), nil, 0)
	s := stream.Concat(stream.Slice[int](), stream.Func(stream.Slice[int](), even))
	if _, err := plantest.Run(t, stream.Count(s), plantest.Ints(3)); elementOf(t, err) != 1 {
		t.Errorf("got %v", err)
	}
}
