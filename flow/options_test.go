package flow_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// T3: errors that no run takes are reported to the handler given by WithOptions, for runs with that context only. The
// private loops of these runs are reused only for each other.
func TestPrivateLoopOptions(t *testing.T) {
	var mine, other errorLog
	ctx := flow.WithOptions(t.Context(), tool.Options{OnError: mine.add})
	inner := flow.WithOptions(ctx, tool.Options{OnError: other.add})
	panics := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			if e.Kind == observe.RunEnd {
				panic(errFirst)
			}
		}
	})
	plan := flow.Then(step.Delay[int](1), plantest.Add(1))
	for i := range 3 {
		for c, want := range map[context.Context][2]int{ctx: {1, 0}, inner: {0, 1}} {
			before := [2]int{len(mine.all()), len(other.all())}
			if v, err := flow.Run(observe.With(c, panics), plan, i); v != i+1 || err != nil {
				t.Errorf("got %d, %v", v, err)
			}
			if got := [2]int{len(mine.all()) - before[0], len(other.all()) - before[1]}; got != want {
				t.Errorf("reports %v, want %v", got, want)
			}
		}
	}
	for _, err := range append(mine.all(), other.all()...) {
		if !errors.Is(err, errFirst) {
			t.Errorf("reported: %v", err)
		}
	}
}

// A clock given by WithOptions is that of a run from its beginning, also before the run needs its loop.
func TestPrivateLoopClock(t *testing.T) {
	start := time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
	ctx := flow.WithOptions(t.Context(), tool.Options{Host: []tool.HostOption{
		tool.WithStart(start), tool.WithClock(func() time.Duration { return time.Hour }),
	}})
	plan := step.Func(func(as step.Scope, _ int) ([2]time.Time, error) {
		first := as.Now()
		_ = as.Loop()
		return [2]time.Time{first, as.Now()}, nil
	})
	want := [2]time.Time{start.Add(time.Hour), start.Add(time.Hour)}
	if got, err := flow.Run(ctx, plan, 1); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// What goes wrong before a run has its loop is reported to the handler given by WithOptions too.
func TestPrivateLoopReportsFromTheBeginning(t *testing.T) {
	var mine errorLog
	ctx := flow.WithOptions(t.Context(), tool.Options{OnError: mine.add})
	reports := func(name string, n int, run func()) {
		before := len(mine.all())
		if run(); len(mine.all())-before != n {
			t.Errorf("%s: %v", name, mine.all()[before:])
		}
	}
	reports("an observer", 1, func() {
		panics := observe.Func(func(context.Context, observe.Run) (context.Context, observe.Watch) { panic(errFirst) })
		_, _ = flow.Run(observe.With(ctx, panics), plantest.Add(1), 1)
	})
	reports("a context that a step asks for", 1, func() {
		plan := step.Func(func(as step.Scope, n int) (int, error) { _ = as.Context().Value("x"); return n, nil })
		_, _ = flow.Run(valuePanics{ctx}, plan, 1)
	})
	reports("a context that the driver asks", 1, func() {
		_, _ = flow.Run(&latePanics{Context: ctx}, flow.Then(step.Delay[int](1), plantest.Add(1)), 1)
	})
}

// valuePanics panics when it is asked for "x".
type valuePanics struct{ context.Context }

func (c valuePanics) Value(key any) any {
	if key == "x" {
		panic(errFirst)
	}
	return c.Context.Value(key)
}

// latePanics is a context whose Err panics from the second call on.
type latePanics struct {
	context.Context
	asked int
}

func (c *latePanics) Err() error {
	if c.asked++; c.asked > 1 {
		panic(errFirst)
	}
	return nil
}
