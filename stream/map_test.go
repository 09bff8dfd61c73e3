package stream_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestMap(t *testing.T) {
	s := stream.Map(stream.Slice[int](), double)
	for _, n := range []int{0, 1, 255, 256, 257, 1000} {
		in := plantest.Ints(n)
		got, err := plantest.Run(t, stream.Collect(s), in)
		if err != nil || len(got) != n {
			t.Fatalf("%d elements: %d, %v", n, len(got), err)
		}
		for i, v := range got {
			if v != 2*i || in[i] != i {
				t.Fatalf("element %d of %d is %d, and of the input now %d", i, n, v, in[i])
			}
		}
	}
}

func TestMapPanics(t *testing.T) {
	s := stream.Map(stream.Slice[int](), func(v int) int { return 100 / (3 - v) })
	t.Run("fails the stream after the elements before", func(t *testing.T) {
		var seen []int
		_, err := plantest.Run(t, stream.ForEach(s, func(v int) error { seen = append(seen, v); return nil }), plantest.Ints(6))
		if elementOf(t, err) != 3 || !errors.Is(err, fault.InternalError) {
			t.Errorf("got %v", err)
		}
		if _, ok := fault.AsType[*fault.Panic](err); !ok {
			t.Errorf("the panic isn't in %v", err)
		}
		wantInts(t, seen, 33, 50, 100)
	})
	t.Run("is a letter", func(t *testing.T) {
		var l letterRecorder
		plantest.WantResult(t, stream.Collect(stream.Catch(s, l.take)), plantest.Ints(6), []int{33, 50, 100, -100, -50})
		l.want(t, "3 InternalError")
	})
}

func TestFunc(t *testing.T) {
	wantElements(t, stream.Func(stream.Slice[string](), strconv.Atoi), []string{"1", "2"}, 1, 2)
}

func TestFuncFails(t *testing.T) {
	for _, n := range []int{2, 600} {
		s := stream.Func(stream.Slice[int](), func(v int) (int, error) {
			if v == n-1 {
				return 0, errOdd
			}
			return v, nil
		})
		calls := 0
		_, err := plantest.Run(t, stream.ForEach(s, func(int) error { calls++; return nil }), plantest.Ints(n+10))
		if !errors.Is(err, errOdd) || elementOf(t, err) != n-1 || calls != n-1 {
			t.Errorf("%d: %d calls, %v", n, calls, err)
		}
	}
}

// The letter has the path of the stage.
func TestFuncPath(t *testing.T) {
	s := stream.Func(stream.Map(stream.Slice[int](), double), func(int) (int, error) { return 0, errOdd })
	_, err := plantest.Run(t, flow.Then(flow.Of(passes), stream.Collect(s)), []int{1})
	letter, _ := fault.AsType[*stream.Letter[int]](err)
	if letter == nil || letter.Path != "1/func.2" {
		t.Errorf("the letter is %v", letter)
	}
}

// The text of the error names the element once.
func TestMapPanicText(t *testing.T) {
	s := stream.Map(stream.Slice[int](), func(int) int { panic("no number") })
	_, err := flow.Run(t.Context(), stream.Count(s), []int{7})
	want := "0/map.1: InternalError: the function of the stage panicked: panic: no number (element 7) (at 0)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
