package stream_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestThroughOrder(t *testing.T) {
	in := []int{5, 1, 3, 0, 2}
	for _, b := range []struct {
		reason string
		bound  stream.Bound
		want   []int
		took   int64
	}{
		{"one after the other", stream.Bound{Limit: 1}, in, 11},
		{"ordered", stream.Bound{Limit: 5}, in, 5},
		{"ordered, by two", stream.Bound{Limit: 2}, in, 10},
		{"ordered, by two, results wait", stream.Bound{Limit: 2, Buffer: 3}, in, 6},
		{"as they come", stream.Bound{Limit: 5, Unordered: true}, []int{0, 1, 2, 3, 5}, 5},
		{"as they come, by two", stream.Bound{Limit: 2, Unordered: true}, []int{1, 3, 0, 5, 2}, 6},
		{"more room than elements", stream.Bound{Limit: 1000, Buffer: 1000}, in, 5},
	} {
		t.Run(b.reason, func(t *testing.T) {
			l, run := plantest.Start(t, stream.Collect(stream.Through(stream.Slice[int](), b.bound, delayByValue)), in)
			l.Run()
			got, err := run.Result()
			if err != nil {
				t.Fatal(err)
			}
			wantInts(t, got, b.want...)
			if l.Now().Milliseconds() != b.took {
				t.Errorf("took %v, want %d ms", l.Now(), b.took)
			}
		})
	}
}

// There are more elements than fit in a chunk.
func TestThroughMany(t *testing.T) {
	for _, b := range []stream.Bound{{Limit: 1}, {Limit: 3}, {Limit: 7, Buffer: 1000}, {Limit: 300}} {
		s := stream.Through(stream.Slice[int](), b, step.Map(double))
		plantest.WantResult(t, stream.Collect(s), plantest.Ints(2000), doubledInts(2000))
		b.Unordered = true
		plantest.WantResult(t, stream.Count(stream.Through(stream.Slice[int](), b, step.Map(double))), plantest.Ints(2000), 2000)
	}
}

func TestThroughFails(t *testing.T) {
	fails := flow.Then(delayByValue, step.Func(func(_ step.Scope, v int) (int, error) { return even(v) }))
	in := []int{6, 4, 3, 2, 8, 10}
	t.Run("after the elements before", func(t *testing.T) {
		var seen []int
		s := stream.Through(stream.Slice[int](), stream.Bound{Limit: 3}, fails)
		_, err := plantest.Run(t, stream.ForEach(s, func(v int) error { seen = append(seen, v); return nil }), in)
		if !errors.Is(err, errOdd) || elementOf(t, err) != 3 {
			t.Errorf("got %v", err)
		}
		wantInts(t, seen, 6, 4)
	})
	t.Run("a letter with the path of the step", func(t *testing.T) {
		var paths []string
		s := stream.Catch(stream.Through(stream.Slice[int](), stream.Bound{Limit: 3}, fails), func(err error) error {
			letter, _ := fault.AsType[*stream.Letter[int]](err)
			paths = append(paths, letter.Path)
			return nil
		})
		plantest.WantResult(t, stream.Collect(s), in, []int{6, 4, 2, 8, 10})
		if len(paths) != 1 || !strings.HasSuffix(paths[0], "/crew.2") { // the third element that began
			t.Errorf("paths %q", paths)
		}
	})
	t.Run("a panic", func(t *testing.T) {
		var l letterRecorder
		s := stream.Through(stream.Slice[int](), stream.Bound{Limit: 2}, step.Map(func(v int) int { return 6 / v }))
		plantest.WantResult(t, stream.Collect(stream.Catch(s, l.take)), plantest.Ints(4), []int{6, 3, 2})
		l.want(t, "0 InternalError")
	})
}

func TestThroughCancelled(t *testing.T) {
	var l letterRecorder
	s := stream.Catch(stream.Through(stream.Slice[int](), stream.Bound{Limit: 2, Buffer: 2}, delayByValue), l.take)
	loop, run := plantest.Start(t, stream.Collect(s), []int{1, 9, 9, 2, 3, 4})
	loop.Advance(1500 * time.Microsecond)
	run.Cancel(nil)
	loop.Run()
	if _, err := run.Result(); !errors.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
	// the first element was delivered; then as many as fit were taken, and not the last one
	l.want(t, "9 Cancelled", "9 Cancelled", "2 Cancelled", "3 Cancelled")
	if loop.Pending() != 0 {
		t.Errorf("%d callbacks are left", loop.Pending())
	}
}

// If a limit around the stream passes, the stream fails with Timeout, and elements that are lost have letters.
func TestThroughTimesOut(t *testing.T) {
	var l letterRecorder
	s := stream.Catch(stream.Through(stream.Slice[int](), stream.Bound{Limit: 2}, delayByValue), l.take)
	_, err := plantest.Run(t, flow.Timeout(3*time.Millisecond, stream.Collect(s)), []int{1, 2, 9})
	if !errors.Is(err, fault.Timeout) {
		t.Errorf("got %v", err)
	}
	if len(l.all) != 1 {
		t.Errorf("letters %q", l.all)
	}
}

// If only two elements are wanted, the others that were taken are cancelled, left and reported.
func TestThroughEndsEarly(t *testing.T) {
	var l letterRecorder
	left := 0
	held := step.New(func(as step.Scope, in int) step.Next[int] {
		step.StackCleanup(as, func(*int) { left++ })
		return step.Into(as, delayByValue, in)
	})
	s := stream.Take(stream.Catch(stream.Through(stream.Slice[int](), stream.Bound{Limit: 4}, held), l.take), 2)
	loop, run := plantest.Start(t, stream.Collect(s), []int{1, 2, 50, 60, 70})
	loop.Run()
	got, err := run.Result()
	if err != nil {
		t.Fatal(err)
	}
	wantInts(t, got, 1, 2)
	if left < 4 || loop.Now() != 2*time.Millisecond {
		t.Errorf("%d elements were left, after %v", left, loop.Now())
	}
	if len(l.all) != left-2 {
		t.Errorf("letters %q of %d elements", l.all, left)
	}
}

// P4: to guards each element is a flow of its own.
func TestThroughGuard(t *testing.T) {
	inside, most := 0, 0
	counted := step.New(func(as step.Scope, in int) step.Next[int] {
		inside++
		most = max(most, inside)
		step.StackCleanup(as, func(*int) { inside-- })
		return step.Into(as, delayByValue, in)
	})
	s := stream.Through(stream.Slice[int](), stream.Bound{Limit: 5}, syncx.Sync(syncx.NewMutex(2, -1), counted))
	plantest.WantResult(t, stream.Collect(s), []int{1, 1, 1, 1, 1, 1}, []int{1, 1, 1, 1, 1, 1})
	if most != 2 {
		t.Errorf("%d inside at once, want 2", most)
	}
}

// P5, L3: a break or continue in the steps of an element ends the stream and acts on the loop around it.
func TestThroughBreak(t *testing.T) {
	leavesLoop(t, func(next func() step.Next[int]) flow.Plan[[]int, int] {
		leaves := step.New(func(step.Scope, int) step.Next[int] { return next() })
		return stream.Count(stream.Through(stream.Slice[int](), stream.Bound{Limit: 2}, leaves))
	})
}

// leavesLoop checks that a break and a continue, which plan gets as next, act on the loop around the plan,
// and are errors without one.
func leavesLoop(t *testing.T, plan func(next func() step.Next[int]) flow.Plan[[]int, int]) {
	t.Helper()
	for want, next := range map[int]func() step.Next[int]{1: loopx.Break[int], 2: loopx.Continue[int]} {
		p := plan(next)
		if _, err := plantest.Run(t, p, plantest.Ints(3)); !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
		rounds := 0
		plantest.WantResult(t, loopx.Repeat(2, step.New(func(as step.Scope, _ loopx.Iteration[int]) step.Next[int] {
			rounds++
			return step.Into(as, p, plantest.Ints(3))
		})), 0, 0)
		if rounds != want {
			t.Errorf("%d rounds, want %d", rounds, want)
		}
	}
}

// As many elements are under way as the bound says.
func TestThroughManyAtOnce(t *testing.T) {
	in := make([]int, 300)
	for i := range in {
		in[i] = 1
	}
	for limit, want := range map[int]time.Duration{100: 3 * time.Millisecond, 299: 2 * time.Millisecond, 300: time.Millisecond} {
		l, run := plantest.Start(t, stream.Count(stream.Through(stream.Slice[int](), stream.Bound{Limit: limit}, delayByValue)), in)
		l.Run()
		if n, err := run.Result(); n != len(in) || err != nil || l.Now() != want {
			t.Errorf("limit %d: %d, %v after %v, want %v", limit, n, err, l.Now(), want)
		}
	}
}

// A waiting element needs little memory.
func TestThroughMemory(t *testing.T) {
	const n, most = 2000, 1500
	waits := stream.Through(stream.Slice[int](), stream.Bound{Limit: n}, step.Delay[int](time.Hour))
	in := plantest.Ints(n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	loop, run := plantest.Start(t, stream.Count(waits), in)
	loop.Advance(0)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if each := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n; each > most {
		t.Errorf("%d bytes for each element, want %d at most", each, most)
	}
	run.Cancel(nil)
	loop.Run()
}
