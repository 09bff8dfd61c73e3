package stream_test

import (
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/stream"
)

// slow is a stream of the naps that f makes of the input, one after the other.
func slow(f func([]int) []int) stream.Stream[[]int, int] {
	return stream.Input(f, stream.Through(stream.Slice[int](), stream.Bound{Limit: 1}, naps))
}

func firsts(in []int) []int  { return in[:len(in)/2] }
func seconds(in []int) []int { return in[len(in)/2:] }

func TestMerge(t *testing.T) {
	// 3 and 3 at 3 and 6; 1, 4 and 3 at 1, 5 and 8.
	gives(t, stream.Merge(slow(firsts), slow(seconds)), []int{3, 3, 1, 4}, 1, 3, 4, 3)
	plays(t, stream.Count(stream.Merge[[]int, int]()), nil, 0)
	s := stream.Slice[int]()
	plays(t, stream.Count(stream.Merge(s, s, s)), upTo(1000), 3000)
}

// None is left behind, though the first one always has more.
func TestMergeTakesTurns(t *testing.T) {
	s := stream.Merge(stream.Map(stream.Slice[int](), double), stream.Slice[int]())
	got, err := play(t, stream.Collect(stream.Take(s, 512)), upTo(1000))
	if err != nil || !slices.Contains(got, 255) || !slices.Contains(got, 510) {
		t.Error("one of them was left behind", err)
	}
}

func TestMergeFails(t *testing.T) {
	var given atomic.Int64
	fails := stream.Func(stream.Slice[int](), even)
	s := stream.Merge(stream.Input(func(n int) []int { return []int{n - 1} }, fails), stream.Generate(10, counts(&given)))
	if _, err := flow.Run(t.Context(), stream.Count(s), 1_000_000); !errors.Is(err, errOdd) {
		t.Errorf("got %v", err)
	}
}

func TestMergeCancelled(t *testing.T) {
	var l letters
	loop, run := begin(t, stream.Count(stream.Catch(stream.Merge(slow(firsts), slow(seconds)), l.take)), []int{9, 8})
	loop.Advance(time.Millisecond)
	run.Cancel(nil)
	loop.Run()
	l.are(t, "9 Cancelled", "8 Cancelled")
}

func TestConcat(t *testing.T) {
	gives(t, stream.Concat(slow(firsts), stream.Slice[int](), slow(seconds)), []int{3, 3, 1, 4}, 3, 3, 3, 3, 1, 4, 1, 4)
	plays(t, stream.Count(stream.Concat[[]int, int]()), nil, 0)
	s := stream.Concat(stream.Slice[int](), stream.Func(stream.Slice[int](), even))
	if _, err := play(t, stream.Count(s), upTo(3)); elementOf(t, err) != 1 {
		t.Errorf("got %v", err)
	}
}

func TestZip(t *testing.T) {
	type pair = flow.Pair[int, int]
	s := stream.Zip(slow(firsts), slow(seconds))
	gives(t, s, []int{3, 3, 1, 4}, pair{A: 3, B: 1}, pair{A: 3, B: 4})
	all := stream.Zip(stream.Slice[int](), stream.Skip(stream.Map(stream.Slice[int](), double), 300))
	got, err := play(t, stream.Collect(all), upTo(1000))
	if err != nil || len(got) != 700 || got[699] != (pair{A: 699, B: 1998}) {
		t.Error(len(got), err)
	}
	fails := stream.Zip(stream.Slice[int](), stream.Func(stream.Slice[int](), even))
	if _, err := play(t, stream.Count(fails), upTo(3)); elementOf(t, err) != 1 {
		t.Errorf("got %v", err)
	}
}

// What has no partner when the other one ends is lost.
func TestZipLoses(t *testing.T) {
	var l letters
	s := stream.Catch(stream.Zip(stream.Slice[int](), stream.Take(stream.Slice[int](), 1)), l.take)
	plays(t, stream.Count(s), upTo(3), 1)
	l.are(t, "1 Cancelled", "2 Cancelled")
}

func TestInput(t *testing.T) {
	s := stream.Input(upTo, stream.Slice[int]())
	gives(t, s, 3, 0, 1, 2)
	if _, err := play(t, stream.Count(stream.Input(func(n int) []int { return upTo(6 / n) }, stream.Slice[int]())), 0); !errors.Is(err, fault.InternalError) {
		t.Errorf("got %v", err)
	}
}

func TestMergeRejects(t *testing.T) {
	rejected(t, stream.Merge(stream.Stream[int, int]{}), "merge: the zero Stream has no source")
	rejected(t, stream.Concat(stream.Stream[int, int]{}), "concat: the zero Stream has no source")
	rejected(t, stream.Zip(stream.Slice[int](), stream.Stream[[]int, int]{}), "zip: the zero Stream has no source")
	rejected(t, stream.Input[int](nil, stream.Slice[int]()), "input: the function is nil")
}

func TestTicks(t *testing.T) {
	type tick = flow.Pair[time.Time, int]
	s := stream.Zip(stream.Ticks[[]int](10*time.Millisecond), stream.Slice[int]())
	l, run := begin(t, stream.Collect(s), upTo(3))
	start := l.Host().Time(0)
	l.Run()
	got, err := run.Result()
	want := []tick{{A: start.Add(10 * time.Millisecond)}, {A: start.Add(20 * time.Millisecond), B: 1}, {A: start.Add(30 * time.Millisecond), B: 2}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("(-want +got): %v\n%s", err, diff)
	}
	if l.Pending() != 0 {
		t.Errorf("%d callbacks are left", l.Pending())
	}
	rejected(t, stream.Ticks[int](0), "ticks: the period must be positive, got 0s")
}

// A stage that takes long gets one tick for all that have passed meanwhile.
func TestTicksAreLeftOut(t *testing.T) {
	l, run := begin(t, stream.Count(stream.Take(stream.Ticks[int](10*time.Millisecond), 3)), 0)
	l.Advance(10 * time.Millisecond)
	l.Lag(35 * time.Millisecond)
	l.Run()
	if n, err := run.Result(); n != 3 || err != nil || l.Now() != 50*time.Millisecond {
		t.Error(n, err, l.Now())
	}
}
