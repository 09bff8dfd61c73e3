package stream_test

import (
	"errors"
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
)

var passes = step.Map(func(in []int) []int { return in })

func TestFilter(t *testing.T) {
	wantElements(t, stream.Filter(stream.Slice[int](), func(v int) bool { return v%3 == 0 }), plantest.Ints(10), 0, 3, 6, 9)
	wantElements(t, stream.Filter(stream.Slice[int](), func(v int) bool { return v > 9_998 }), plantest.Ints(10_000), 9_999)
	plantest.WantResult(t, stream.Count(stream.Filter(stream.Slice[int](), func(int) bool { return false })), plantest.Ints(10_000), 0)
}

func TestFilterPanics(t *testing.T) {
	var l letterRecorder
	s := stream.Catch(stream.Filter(stream.Slice[int](), func(v int) bool { return 6/v > 1 }), l.take)
	plantest.WantResult(t, stream.Collect(s), plantest.Ints(5), []int{1, 2, 3})
	l.want(t, "0 InternalError")

	var in letterRecorder // of an element in the middle of a chunk
	s = stream.Catch(stream.Filter(stream.Slice[int](), func(v int) bool { return 6/(v-2) != 2 }), in.take)
	plantest.WantResult(t, stream.Collect(s), plantest.Ints(7), []int{0, 1, 3, 4, 6})
	in.want(t, "2 InternalError")
}

// V1: an element that has been passed on has no letter, even if a later one of its chunk fails and the stream ends
// before that one's letter is given.
func TestV1PassedElementsHaveNoLetter(t *testing.T) {
	var l letterRecorder
	s := stream.Filter(stream.Slice[int](), func(v int) bool { return 6/(v-2) != 100 })
	if _, err := plantest.Run(t, stream.Collect(stream.Func(stream.Catch(s, l.take), even)), plantest.Ints(4)); !errors.Is(err, errOdd) {
		t.Errorf("ended with %v", err)
	}
	l.want(t, "2 InternalError", "3 Odd")
}

// V1: an element that an operator has dropped has no letter, even if the function ends its goroutine at a later one.
func TestV1DroppedElementsHaveNoLetter(t *testing.T) {
	exits := func(v int) int {
		if v == 7 {
			runtime.Goexit()
		}
		return v
	}
	for name, s := range map[string]stream.Stream[[]int, int]{
		"Filter":   stream.Filter(stream.Slice[int](), func(v int) bool { return exits(v)%2 == 0 }),
		"Distinct": stream.Distinct(stream.Slice[int](), func(v int) int { return max(exits(v)-1, exits(v)%2) }),
	} {
		t.Run(name, func(t *testing.T) {
			var lettered []int
			var reported []error
			plan := stream.Count(stream.Catch(s, func(l *stream.Letter[int]) error {
				lettered = append(lettered, l.Element)
				return nil
			}))
			if _, err := onLoop(t.Context(), t, plan, plantest.Ints(10), &reported); !errors.Is(err, fault.InternalError) {
				t.Errorf("ended with %v", err)
			}
			want := []int{0, 2, 4, 6, 7, 8, 9}
			if name == "Distinct" {
				want = []int{0, 1, 3, 4, 5, 6, 7, 8, 9} // the key of 2 is that of 1
			}
			wantInts(t, lettered, want...)
		})
	}
}
