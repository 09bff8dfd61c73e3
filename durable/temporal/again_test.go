package temporal_test

import (
	"errors"
	"testing"

	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The cancel comes when the run is about to begin anew. The next beginning wouldn't hear of it.
func TestCancelAndAgain(t *testing.T) {
	more := step.Map(func(string) durable.Again[string] { return durable.Again[string]{More: true} })
	e := env(t, temporal.Of(durable.New("polls", flow.Then(receiveSignal("a"), more))).Register)
	e.RegisterDelayedCallback(e.CancelWorkflow, 0)
	e.ExecuteWorkflow("polls", "", map[string]any{"signals": []any{payload(t, "a", "1")}})
	var again *workflow.ContinueAsNewError
	if err := e.GetWorkflowError(); errors.As(err, &again) || !errors.Is(temporal.Of(durable.New("polls", more)).Decode(err), fault.Cancelled) {
		t.Errorf("got %v", err)
	}
}
