package temporal_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/testsuite"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The run of the call has its own id, keys and signals, and begins anew by itself, in a workflow as on a local engine.
func TestCallIsARun(t *testing.T) {
	key := step.Await(func(ctx context.Context, in string) (string, error) { return in + durable.Key(ctx) + " ", nil })
	again := flow.Then(key, step.Map(func(s string) durable.Again[string] {
		return durable.Again[string]{In: s, More: strings.Count(s, " ") < 2}
	}))
	poll := flow.Then(flow.Named("poll", flow.Call(again)), step.Map(func(a durable.Again[string]) string { return a.In }))
	ask := flow.Named("ask", flow.Call(flow.Then(flow.Carry(receiveSignal("go")), step.Map(func(p flow.Pair[string, string]) string { return p.A + p.B }))))
	w := durable.New("calls", flow.Then(poll, flow.Timeout(time.Hour, ask)))

	const at = "default-test-workflow-id"
	out, err := durabletest.Run(w, "", func(e *testsuite.TestWorkflowEnvironment) {
		e.RegisterDelayedCallback(func() {
			if err := e.SignalWorkflowByID(at+"/2/0#1", "go", 7); err != nil {
				t.Error(err)
			}
		}, time.Minute)
	})
	if want := at + "/0#1/0#1 " + at + "/0#1~1/0#1 go7"; out != want || err != nil {
		t.Errorf("got %q, %v, want %q", out, err, want)
	}
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		run, err := w.Start(t.Context(), on, "o", "")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if place, err := run.Place(t.Context()); place != "2/0 ask\n" || err != nil {
			t.Errorf("it stands at %q, %v", place, err)
		}
		if err = durable.Send(t.Context(), w.Attach(on, "o/2/0#1"), "go", 7); err != nil {
			t.Error(err)
		}
		if out, err := run.Wait(t.Context()); out != "o/0#1/0#1 o/0#1~1/0#1 go7" || err != nil {
			t.Errorf("on a local engine: got %q, %v", out, err)
		}
	})
}

func TestNil(t *testing.T) {
	w := durable.New("orders", step.Map(func(n int) int { return n }))
	for name, call := range map[string]func() error{
		"no client":                func() error { _, err := w.Start(t.Context(), temporal.Engine(nil, "q"), "o", 1); return err },
		"no registry":              func() error { return temporal.Of(w).Register(nil) },
		"no registry of workflows": func() error { return temporal.Of(w).RegisterWorkflows(nil) },
	} {
		if err := call(); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
