package stream_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

func parity(v int) int { return v % 2 }

func TestPartition(t *testing.T) {
	// odd elements run one after the other, beside the even ones
	in := []int{9, 1, 2, 4}
	l, run := plantest.Start(t, stream.Collect(stream.Partition(stream.Slice[int](), stream.Bound{Limit: 4, Unordered: true}, parity, delayByValue)), in)
	l.Run()
	got, err := run.Result()
	wantInts(t, got, 2, 4, 9, 1)
	if err != nil || l.Now() != 10*time.Millisecond {
		t.Error(err, l.Now())
	}
	wantElements(t, stream.Partition(stream.Slice[int](), stream.Bound{Limit: 4}, parity, delayByValue), in, in...)
}

// Elements with the same key don't overlap, and keep their order.
func TestPartitionMany(t *testing.T) {
	for _, b := range []stream.Bound{{Limit: 1}, {Limit: 3, Unordered: true}, {Limit: 10, Buffer: 100, Unordered: true}} {
		var inside [7]int
		busy := step.New(func(as step.Scope, v int) step.Next[int] {
			if inside[v%7]++; inside[v%7] > 1 {
				t.Errorf("two of the key %d at once", v%7)
			}
			step.StackCleanup(as, func(*int) { inside[v%7]-- })
			return step.Into(as, step.Delay[int](time.Duration(v*37%11)*time.Millisecond), v)
		})
		s := stream.Partition(stream.Slice[int](), b, func(v int) int { return v % 7 }, busy)
		got, err := plantest.Run(t, stream.Collect(s), plantest.Ints(500))
		if err != nil || len(got) != 500 {
			t.Fatal(len(got), err)
		}
		var last [7]int
		for _, v := range got {
			if v < last[v%7] {
				t.Errorf("%d after %d", v, last[v%7])
			}
			last[v%7] = v
		}
	}
}

func TestPartitionFails(t *testing.T) {
	s := stream.Partition(stream.Slice[int](), stream.Bound{Limit: 4}, parity, step.Func(func(_ step.Scope, v int) (int, error) { return even(v) }))
	if _, err := plantest.Run(t, stream.Count(s), plantest.Ints(9)); elementOf(t, err) != 1 {
		t.Errorf("got %v", err)
	}
	var l letterRecorder
	plantest.WantResult(t, stream.Collect(stream.Catch(s, l.take)), plantest.Ints(6), []int{0, 2, 4})
	l.want(t, "1 Odd", "3 Odd", "5 Odd")
	broken := stream.Partition(stream.Slice[int](), stream.Bound{Limit: 4}, func(v int) int { return 6 / v }, delayByValue)
	if _, err := plantest.Run(t, stream.Count(broken), plantest.Ints(2)); !errors.Is(err, fault.InternalError) {
		t.Errorf("got %v", err)
	}
}

func TestPartitionKeyPanics(t *testing.T) {
	var l letterRecorder
	key := func(v int) int {
		if v%2 == 0 {
			panic("even")
		}
		return v
	}
	s := stream.Catch(stream.Partition(stream.Slice[int](), stream.Bound{Limit: 2, Buffer: 8}, key, delayByValue), l.take)
	wantElements(t, s, plantest.Ints(6), 1, 3, 5)
	l.want(t, "0 InternalError", "2 InternalError", "4 InternalError")
}

// V3: a key that differs from itself is the error of its element.
func TestV3PartitionRefusesNaN(t *testing.T) {
	var heard []float64
	same := step.Map(func(v float64) float64 { return v })
	key := func(v float64) float64 { return v }
	s := stream.Catch(stream.Partition(stream.Slice[float64](), stream.Bound{Limit: 2}, key, same), func(l *stream.Letter[float64]) error {
		heard = append(heard, l.Element)
		if !errors.Is(l, fault.InvalidRequest) {
			t.Error(l)
		}
		return nil
	})
	plantest.WantResult(t, stream.Collect(s), []float64{1, math.NaN(), 2, math.NaN()}, []float64{1, 2})
	if len(heard) != 2 {
		t.Errorf("heard of %v", heard)
	}
}
