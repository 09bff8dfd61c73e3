package stream_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/stream"
)

func TestInput(t *testing.T) {
	s := stream.Input(plantest.Ints, stream.Slice[int]())
	wantElements(t, s, 3, 0, 1, 2)
	if _, err := plantest.Run(t, stream.Count(stream.Input(func(n int) []int { return plantest.Ints(6 / n) }, stream.Slice[int]())), 0); !errors.Is(err, fault.InternalError) {
		t.Errorf("got %v", err)
	}
}

// A run that is observed fails with the panic of an Input too.
func TestInputPanicsWhileObserved(t *testing.T) {
	broken := stream.Input(func(n int) []int { return plantest.Ints(6 / n) }, stream.Slice[int]())
	whole := stream.Input(plantest.Ints, stream.Slice[int]())
	o := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(observe.Event) {}
	})
	for name, s := range map[string]stream.Stream[int, int]{
		"alone": broken, "named": stream.Named("broken", broken), "mapped": stream.Map(broken, func(n int) int { return n }),
		"merged": stream.Merge(whole, broken, whole),
	} {
		_, err := flow.Run(observe.With(t.Context(), o), stream.Count(s), 0)
		if e, ok := fault.AsType[*fault.Panic](err); !ok || !strings.Contains(e.Error(), "divide by zero") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
