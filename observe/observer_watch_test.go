package observe_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func watching(watch observe.Watch) observe.Observer {
	return observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) { return ctx, watch })
}

// In a Watch a kept scope changes neither this run nor a later one.
func TestScopeInWatch(t *testing.T) {
	var kept step.Scope
	hooks := 0
	keeps := step.Func(func(as step.Scope, bad bool) (bool, error) {
		if bad {
			as.Context() // makes a context, which must end with the step
			return bad, errBad
		}
		kept = as //stepvet:ignore it is about a kept scope
		return bad, nil
	})
	touches := watching(func(observe.Event) {
		kept.SetCancel(func() { hooks++ })
		plantest.BreakRule(kept)
		kept.SetTimeout(time.Hour)
		step.StackCleanup(kept, func(*int) { hooks++ })
		_ = kept.Path()
		_ = kept.Context()
	})
	breaks := step.Func(func(as step.Scope, bad bool) (bool, error) {
		plantest.BreakRule(as)
		return bad, nil
	})
	if _, err := flow.Run(observe.With(t.Context(), touches), keeps, false); err != nil {
		t.Errorf("what the Watch did failed the run: %v", err)
	}
	_, err := flow.Run(observe.With(t.Context(), touches), flow.Then(keeps, breaks), false)
	if !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("the rule that the second step broke is forgotten: %v", err)
	}
	for range 10 {
		if _, err := flow.Run(t.Context(), keeps, true); !errors.Is(err, errBad) {
			t.Errorf("another run: %v", err)
		}
	}
	if hooks != 0 {
		t.Errorf("%d hooks of a Watch were called", hooks)
	}
}

// A body that broke a rule fails, with Succeed, Into and Wait.
func TestBrokenRuleIsRaised(t *testing.T) {
	for _, next := range []func(step.Scope) step.Next[step.Unit]{
		func(step.Scope) step.Next[step.Unit] { return step.Succeed(step.Unit{}) },
		func(as step.Scope) step.Next[step.Unit] {
			return step.Into(as, plantest.Named("inner", nil), step.Unit{})
		},
		func(as step.Scope) step.Next[step.Unit] { return step.Wait[step.Unit](as, nil) },
	} {
		var events eventRecorder
		runPlan(t, &events, flow.Named("a", step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
			plantest.BreakRule(as)
			return next(as)
		})), step.Unit{})
		want := []string{
			"0s step start 0 a", "0s raised 0 a: InvalidRequest", "0s step end 0 a: InvalidRequest", "0s run end: InvalidRequest",
		}
		if n := len(events.Lines); n == 5 { // the wait began first: leave out its event
			events.Lines = append(events.Lines[:1], events.Lines[2:]...)
		}
		events.Want(t, want...)
	}
}

// If an observer ends the context, the run ends before its first step.
func TestObserverEndsTheContext(t *testing.T) {
	var events eventRecorder
	ends := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(errBad)
		return ctx, nil
	})
	ctx := observe.With(observe.With(t.Context(), &events), ends)
	ran := step.Func(func(step.Scope, step.Unit) (step.Unit, error) {
		t.Error("a step has run")
		return step.Unit{}, nil
	})
	if _, err := flow.Run(ctx, ran, step.Unit{}); !errors.Is(err, errBad) {
		t.Errorf("Run: %v", err)
	}
	if _, err := flow.Start(ctx, tooltest.New(), ran, step.Unit{}).Result(); !errors.Is(err, errBad) {
		t.Errorf("Start: %v", err)
	}
	events.Want(t, "0s run end: Cancelled", "0s run end: Cancelled")
}
