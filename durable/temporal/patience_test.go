package temporal_test

import (
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var busy = flow.Named("busy", step.Map(func(n int) int {
	for began := time.Now(); time.Since(began) < 1200*time.Millisecond; { //stepvet:ignore how long it takes isn't in its result
		n++
	}
	return n
}))

// Steps may execute for longer than the SDK's deadlock detector allows.
func TestBusy(t *testing.T) {
	w := durable.New("busy", flow.Then(busy, flow.Then(step.Await(inc), busy)))
	e := env(t, temporal.Of(w).Register)
	e.ExecuteWorkflow("busy", 1)
	var n int
	if err := e.GetWorkflowResult(&n); err != nil || n < 2 {
		t.Errorf("got %d, %v", n, err)
	}
}

// The run ends with an error that names the step, before the server gives up waiting for the worker.
func TestEndless(t *testing.T) {
	s := serve(t)
	release := make(chan struct{})
	defer close(release)
	blocks := step.Map(func(n int) int { <-release; return n }) //stepvet:ignore a step that doesn't end
	w := durable.New("endless", flow.Then(step.Await(inc), flow.Named("blocks", blocks)))
	c := s.client()
	work(t, c, "endless", temporal.Of(w).Register)
	_, err := c.ExecuteWorkflow(withinLimit(t), client.StartWorkflowOptions{ID: "e", TaskQueue: "endless", WorkflowTaskTimeout: 2 * time.Second}, "endless", 1)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Attach(temporal.Engine(c, "endless"), "e").Wait(withinLimit(t))
	if fault.CodeOf(err) != fault.InternalError || !strings.Contains(err.Error(), "the last one is blocks (patience_test.go:") {
		t.Errorf("got %v", err)
	}
}
