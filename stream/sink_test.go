package stream_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestPlanRunsTwice(t *testing.T) {
	p := stream.Collect(stream.Through(stream.Slice[int](), stream.Bound{Limit: 2}, delayByValue))
	l := tooltest.New()
	a, b := flow.Start(t.Context(), l, p, []int{3, 1}), flow.Start(t.Context(), l, p, []int{2, 1, 4})
	l.Run()
	got, err := a.Result()
	wantInts(t, got, 3, 1)
	also, err2 := b.Result()
	wantInts(t, also, 2, 1, 4)
	if err != nil || err2 != nil {
		t.Error(err, err2)
	}
}

// A sink is a step: it may have a handler, and steps behind it.
func TestSinkComposes(t *testing.T) {
	total := stream.Fold(stream.Func(stream.Slice[int](), even), func() int { return 0 }, func(acc, v int) int { return acc + v })
	p := flow.Then(flow.Catch(total, func(_ step.Scope, err error) step.Next[int] {
		if errors.Is(err, errOdd) {
			return step.Succeed(-1)
		}
		return step.Unwind[int]()
	}), step.Map(double))
	plantest.WantResult(t, p, []int{2, 4}, 12)
	plantest.WantResult(t, p, []int{2, 3}, -2)
}

// The trace of an error has the user's steps, and none of those that a sink makes.
func TestTraceOfASink(t *testing.T) {
	failing := step.Func(func(step.Scope, int) (int, error) { return 0, errOdd })
	for name, s := range map[string]stream.Stream[[]int, int]{
		"alone":             stream.Func(stream.Slice[int](), func(int) (int, error) { return 0, errOdd }),
		"beside other work": stream.Through(stream.Slice[int](), stream.Bound{Limit: 1}, failing),
	} {
		_, err := flow.Run(t.Context(), flow.Named("page", flow.Then(stream.Collect(s), flow.Of(passes))), []int{1})
		e, ok := fault.AsType[*fault.Error](err)
		if !ok {
			t.Fatal(name, err)
		}
		var trace []string
		for _, m := range e.Unwind {
			trace = append(trace, m.Path+" "+m.Kind)
		}
		if e.Path != "0/0" || !slices.Equal(trace, []string{"0/0 collect", "0 group"}) {
			t.Errorf("%s: raised at %s, %q", name, e.Path, trace)
		}
	}
}

func TestCancelledBeforeItBegins(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := flow.Run(ctx, stream.Count(stream.Slice[int]()), plantest.Ints(3)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestLongStreamLetsOthersWork(t *testing.T) {
	l := tooltest.New()
	var asked int
	var stopped bool
	endless := flow.Start(t.Context(), l, stream.Count(stream.Filter(stream.Seq[int](), func(int) bool { return false })), numbers(&asked, &stopped))
	other := flow.Start(t.Context(), l, delayByValue, 1)
	for range 1000 {
		l.Lag(10_000)
		l.Step()
	}
	if got, err := other.Result(); got != 1 || err != nil {
		t.Errorf("the other run: %d, %v", got, err)
	}
	endless.Cancel(nil)
	l.Run()
	if !stopped {
		t.Error("the source wasn't stopped")
	}
}

func TestDescribe(t *testing.T) {
	s := stream.Through(stream.Map(stream.Slice[int](), double), stream.Bound{Limit: 2}, delayByValue)
	var kinds []string
	for part := range flow.Describe(stream.Collect(s)).All() {
		kinds = append(kinds, part.Kind)
	}
	want := "[plan collect slice map through branch new]"
	if got := join(kinds); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func join(words []string) string {
	text := "["
	for i, w := range words {
		if i > 0 {
			text += " "
		}
		text += w
	}
	return text + "]"
}
