package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

var errDeclined = errors.New("card declined")

type order struct {
	Item  string
	Cents int
}

var (
	reserve = flow.Named("reserve", step.Await(func(ctx context.Context, o order) (order, error) {
		o.Item += " " + durable.Key(ctx)
		return o, nil
	}))
	charge = flow.Named("charge", step.Await(func(ctx context.Context, o order) (string, error) {
		if o.Cents > 1000 {
			return "", fmt.Errorf("charging: %w", errDeclined)
		}
		return o.Item + " " + durable.Key(ctx), nil
	}))
)

// env returns the SDK's test environment, which skips time.
func env(t *testing.T, register func(temporal.Registry) error) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	e := suite.NewTestWorkflowEnvironment()
	if err := register(e); err != nil {
		t.Fatal(err)
	}
	return e
}

// withinLimit returns a context that ends after a minute, so that a defect fails the test instead of blocking it.
func withinLimit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("nothing came within a minute"))
	t.Cleanup(cancel)
	return ctx
}

func receive[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	ctx := withinLimit(t)
	select {
	case v = <-c:
	case <-ctx.Done():
		t.Fatal(context.Cause(ctx))
	}
	return v
}

func TestRuns(t *testing.T) {
	w := durable.New("orders", flow.Then(reserve, flow.Then(step.Delay[order](48*time.Hour), flow.Timeout(time.Hour, charge))),
		durable.Errors(map[string]error{"declined": errDeclined}))
	e := env(t, temporal.Of(w).Register)
	e.ExecuteWorkflow("orders", order{"teapot", 100})
	var out string
	if err := e.GetWorkflowResult(&out); err != nil {
		t.Fatal(err)
	}
	if want := "teapot default-test-workflow-id/0#1 default-test-workflow-id/2/0#1"; out != want {
		t.Errorf("got %q, want %q", out, want)
	}

	e = env(t, temporal.Of(w).Register)
	e.ExecuteWorkflow("orders", order{"teapot", 5000})
	if err := e.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "charging: card declined") {
		t.Errorf("got %v", err)
	}
}

// E6: a handler finds the error that a body has returned, although it was encoded in between.
func TestErrorsPass(t *testing.T) {
	broken := step.Await(func(_ context.Context, kind string) (string, error) {
		switch kind {
		case "named":
			return "", fmt.Errorf("while: %w", errDeclined)
		case "coded":
			return "", fault.New("NoStock", "three are missing")
		case "panic":
			panic("boom")
		}
		return kind, nil
	})
	var met error
	plan := flow.Catch(broken, func(_ step.Scope, err error) step.Next[string] {
		met = err
		return step.Succeed("caught")
	})
	w := durable.New("broken", plan, durable.Errors(map[string]error{"declined": errDeclined}))
	for kind, is := range map[string]error{"named": errDeclined, "coded": fault.Code("NoStock"), "panic": fault.InternalError} {
		e := env(t, temporal.Of(w).Register)
		e.ExecuteWorkflow("broken", kind)
		if err := e.GetWorkflowError(); err != nil {
			t.Fatal(err)
		}
		if !errors.Is(met, is) {
			t.Errorf("%s: the handler was given %v, which isn't %v", kind, met, is)
		}
		if kind == "coded" && fault.InfoOf(met) != "three are missing" {
			t.Errorf("the info is %q", fault.InfoOf(met))
		}
	}
}
