package enginetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The workflows of WantTaken.
var (
	Asks  = durable.New("asks", flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("go")))
	Calls = durable.New("calls", flow.Named("call", flow.Call(flow.Then(step.Delay[int](time.Second), step.Map(func(n int) int { return -n })))))
)

// WantTaken checks that a flow.Call whose run would have the id of another run fails, and that the other run goes on. The engine runs
// Asks and Calls.
func WantTaken(t *testing.T, on durable.Engine) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	other, err := Asks.Start(ctx, on, "c/0#1", 1)
	if err != nil {
		t.Fatal(err)
	}
	run, err := Calls.Start(ctx, on, "c", 1)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := run.Wait(ctx); !errors.Is(err, fault.InternalError) || !strings.Contains(err.Error(), "another run of the id c/0#1") {
		t.Errorf("the call: %d, %v", out, err)
	}
	if err = durable.Send(ctx, other, "go", 2); err != nil {
		t.Error(err)
	}
	if out, err := other.Wait(ctx); out != 2 || err != nil {
		t.Errorf("the run with the id: %d, %v", out, err)
	}
}
