package stream_test

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool"
)

// thrice gives an element v three times, each v ms after the one before.
var thrice = stream.Through(
	stream.Map(stream.Input(func(v int) []int { return []int{v, v, v} }, stream.Slice[int]()), func(v int) int { return v }),
	stream.Bound{Limit: 1}, delayByValue)

func TestFlatMap(t *testing.T) {
	in := []int{3, 1, 2}
	wantElements(t, stream.FlatMap(stream.Slice[int](), stream.Bound{Limit: 2}, thrice), in, 3, 3, 3, 1, 1, 1, 2, 2, 2)
	wantElements(t, stream.FlatMap(stream.Slice[int](), stream.Bound{Limit: 2, Unordered: true}, thrice), []int{5, 2}, 2, 2, 5, 2, 5, 5)
	plantest.WantResult(t, stream.Count(stream.FlatMap(stream.Slice[int](), stream.Bound{Limit: 2}, thrice)), nil, 0)
	large := stream.Input(plantest.Ints, stream.Slice[int]())
	for _, b := range []stream.Bound{{Limit: 1}, {Limit: 3, Buffer: 2}, {Limit: 3, Unordered: true}} {
		plantest.WantResult(t, stream.Fold(stream.FlatMap(stream.Slice[int](), b, large), zero, add), []int{1000, 0, 257, 3}, 999*500+256*257/2+3)
	}
}

// Inner streams are open at the same time, so an ordered FlatMap takes less than the sum of their times.
func TestFlatMapTakesTheLongest(t *testing.T) {
	l, run := plantest.Start(t, stream.Count(stream.FlatMap(stream.Slice[int](), stream.Bound{Limit: 3}, thrice)), []int{3, 3, 3})
	l.Run()
	if n, err := run.Result(); n != 9 || err != nil || l.Now() > 15*time.Millisecond {
		t.Error(n, err, l.Now())
	}
}

func TestFlatMapFails(t *testing.T) {
	inner := stream.Func(stream.Input(plantest.Ints, stream.Slice[int]()), func(v int) (int, error) {
		if v == 2 {
			return 0, errOdd
		}
		return v, nil
	})
	s := stream.FlatMap(stream.Slice[int](), stream.Bound{Limit: 2}, inner)
	seen := 0
	_, err := plantest.Run(t, stream.ForEach(s, func(int) error { seen++; return nil }), []int{2, 5, 1})
	if elementOf(t, err) != 5 || !errors.Is(err, errOdd) || seen != 4 {
		t.Errorf("%d elements, %v", seen, err)
	}
	var l letterRecorder // of the stage inside
	plantest.WantResult(t, stream.Count(stream.Catch(s, l.take)), []int{2, 5, 1}, 7)
	l.want(t, "2 Odd")
	broken := stream.FlatMap(stream.Slice[int](), stream.Bound{Limit: 2}, stream.Input(func(v int) []int { return plantest.Ints(6 / v) }, stream.Slice[int]()))
	l = letterRecorder{}
	plantest.WantResult(t, stream.Count(stream.Catch(broken, l.take)), []int{2, 0, 6}, 4)
	l.want(t, "0 InternalError")
}

func TestFlatMapCancelled(t *testing.T) {
	var l letterRecorder
	s := stream.Catch(stream.FlatMap(stream.Slice[int](), stream.Bound{Limit: 1, Buffer: 1}, thrice), l.take)
	loop, run := plantest.Start(t, stream.Count(s), []int{5, 6, 7})
	loop.Advance(6 * time.Millisecond)
	run.Cancel(nil)
	loop.Run()
	if _, err := run.Result(); !errors.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
	// first the element inside of the first inner stream, then the element of that stream, then the one that waits
	l.want(t, "5 Cancelled", "5 Cancelled", "6 Cancelled")
}

func TestFlatMapOfGoroutines(t *testing.T) {
	var given atomic.Int64
	s := stream.FlatMap(stream.Slice[int](), stream.Bound{Limit: 3}, stream.Generate(4, countingGenerator(&given)))
	n, err := flow.Run(t.Context(), stream.Count(s), []int{500, 1, 0, 700})
	if n != 1201 || err != nil {
		t.Error(n, err)
	}
	got, err := flow.Run(t.Context(), stream.Collect(stream.Take(s, 2)), []int{1_000_000, 1_000_000})
	wantInts(t, got, 0, 1)
	if err != nil {
		t.Error(err)
	}
}

// An element whose inner stream has failed has a letter, even if the stream ends while it waits for its turn.
func TestFlatMapFailsBehindAnOpenOne(t *testing.T) {
	given := func(v int) iter.Seq2[int, error] {
		return func(yield func(int, error) bool) {
			if v == 0 {
				yield(10, nil)
			} else {
				yield(0, errOdd)
			}
		}
	}
	waits := step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) })
	inner := stream.Through(stream.Input(given, stream.Seq2[int]()), stream.Bound{Limit: 1}, waits)
	var failed, lost []int
	s := stream.Catch(stream.FlatMap(stream.Slice[int](), stream.Bound{Limit: 3}, inner), func(letter error) error {
		l, ok := fault.AsType[*stream.Letter[int]](letter)
		switch {
		case !ok:
			t.Errorf("no letter: %v", letter)
		case l.Lost:
			lost = append(lost, l.Element)
		default:
			failed = append(failed, l.Element)
		}
		return nil
	})
	loop, run := plantest.Start(t, stream.Count(s), []int{0, 1, 2})
	loop.Advance(time.Second)
	run.Cancel(nil)
	loop.Run()
	_, err := run.Result()
	plantest.WantCode(t, err, fault.Cancelled)
	slices.Sort(failed)
	slices.Sort(lost)
	if fmt.Sprint(failed, lost) != "[1 2] [0 10]" {
		t.Errorf("failed %v, lost %v", failed, lost)
	}
}

// A Catch handler that ends the goroutine at the rest of an inner stream doesn't stop the elements behind.
func TestFlatMapCatchEndsGoroutine(t *testing.T) {
	given := func(v int) iter.Seq[int] {
		return func(yield func(int) bool) {
			if yield(10*v) && v == 1 {
				runtime.Goexit() // the result is lost
			}
		}
	}
	inner := stream.Input(given, stream.Seq[int]())
	synctest.Test(t, func(t *testing.T) {
		var letters []string
		s := stream.Catch(stream.FlatMap(stream.Slice[int](), stream.Bound{Limit: 3}, inner), func(l *stream.Letter[int]) error {
			if letters = append(letters, fmt.Sprint(l.Element, l.Lost)); len(letters) == 1 {
				runtime.Goexit()
			}
			return nil
		})
		loop := tool.Start(tool.Options{OnError: func(error) {}})
		got, err := flow.Start(t.Context(), loop, stream.Collect(s), []int{0, 1, 2, 3, 4}).Wait(t.Context())
		if err != nil {
			t.Error(err)
		}
		wantInts(t, got, 0, 20, 30, 40)
		if fmt.Sprint(letters) != "[10 true 1 false]" {
			t.Errorf("letters %v", letters)
		}
		if err := loop.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
