package temporal_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// A run that a step starts isn't a place of the plan, and neither are its bodies.
func TestPlaceOfAwaitRun(t *testing.T) {
	body := flow.Named("body", step.Await(func(_ context.Context, n int) (int, error) { return n, nil }))
	other := flow.Par(flow.Then(step.Delay[int](time.Hour), body), step.Delay[int](2*time.Hour))
	starts := step.New(func(as step.Scope, n int) step.Next[[]int] {
		return step.Into(as, flow.AwaitRun(func(ctx context.Context, n int) *flow.Running[[]int] { return flow.Start(ctx, as.Loop(), other, n) }), n)
	})
	e := env(t, temporal.Of(durable.New("starts", starts, durable.Also("other", other))).Register)
	places := make(map[string]bool)
	ask := func() {
		answer, err := e.QueryWorkflow("place")
		var place string
		if err == nil {
			err = answer.Get(&place)
		}
		if err != nil {
			t.Error(err)
		}
		places[place] = true
	}
	e.RegisterDelayedCallback(ask, time.Minute)
	e.SetOnActivityStartedListener(func(*activity.Info, context.Context, converter.EncodedValues) { ask() })
	e.ExecuteWorkflow("starts", 7)
	var out []int
	if err := e.GetWorkflowResult(&out); err != nil || len(out) != 2 {
		t.Errorf("got %v, %v", out, err)
	}
	for place := range places {
		if !strings.HasPrefix(place, "0/0 ") || strings.Count(place, "\n") != 1 {
			t.Errorf("it stands at %q", place)
		}
	}
}
