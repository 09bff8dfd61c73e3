package temporal_test

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"
	"google.golang.org/protobuf/proto"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/internal/enginetest"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func receiveSignal(name string) flow.Plan[string, string] {
	return flow.Then(step.Map(func(string) struct{} { return struct{}{} }),
		flow.Then(durable.Signal[int](name), step.Map(func(n int) string { return fmt.Sprint(name, n) })))
}

// racing waits for one of two signals, and then for the second one again.
var racing = flow.Chain(flow.First(receiveSignal("a"), receiveSignal("b")), flow.Timeout(time.Hour, receiveSignal("b")))

// payload returns a signal in the form in which a run that begins anew gets it.
func payload(t *testing.T, name, json string) map[string]any {
	t.Helper()
	raw, err := proto.Marshal(&common.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(json)})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"name": name, "payload": raw}
}

// Both signals are there. The step that the race leaves takes none.
func TestSignalsOfARace(t *testing.T) {
	e := env(t, temporal.Of(durable.New("racing", racing)).Register)
	e.ExecuteWorkflow("racing", "", map[string]any{"generation": 1, "signals": []any{payload(t, "a", "1"), payload(t, "b", "2")}})
	var out string
	if err := e.GetWorkflowResult(&out); out != "b2" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		run, err := durable.New("late", flow.Then(step.Delay[string](time.Minute), racing)).Start(t.Context(), on, "r", "")
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"a", "b"} {
			if err = durable.Send(t.Context(), run, name, i+1); err != nil {
				t.Error(err)
			}
		}
		if out, err := run.Wait(t.Context()); out != "b2" || err != nil {
			t.Errorf("on a local engine: got %q, %v", out, err)
		}
	})
}

// The corrupt signal is dropped, and the next one is received.
func TestKeptSignalIsCorrupt(t *testing.T) {
	e := env(t, temporal.Of(durable.New("corrupt", flow.Timeout(time.Hour, receiveSignal("a")))).Register)
	e.ExecuteWorkflow("corrupt", "", map[string]any{"signals": []any{payload(t, "a", "{"), payload(t, "a", "2")}})
	var out string
	if err := e.GetWorkflowResult(&out); out != "a2" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

// Nothing of the corrupt signal is left in the next one.
func TestKeptSignalIsCorruptInPart(t *testing.T) {
	type both struct{ A, B string }
	w := durable.New("parts", flow.Then(step.Map(func(string) struct{} { return struct{}{} }),
		flow.Then(durable.Signal[both]("a"), step.Map(func(b both) string { return b.A + b.B }))))
	e := env(t, temporal.Of(w).Register)
	e.ExecuteWorkflow("parts", "", map[string]any{"signals": []any{payload(t, "a", `{"A":"first","B":1}`), payload(t, "a", `{"B":"second"}`)}})
	var out string
	if err := e.GetWorkflowResult(&out); out != "second" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

// A signal is sent only if the plan may have a step for it.
func TestUnexpectedSignal(t *testing.T) {
	ask := durable.Signal[approval]("approval")
	answered := step.Map(func(approval) int { return 1 })
	enters := step.New(func(as step.Scope, _ struct{}) step.Next[int] {
		return step.Into(as, flow.Then(ask, answered), struct{}{})
	})
	knows := durable.New("knows", flow.Timeout(time.Hour, flow.Then(flow.Named("asked", ask), answered)))
	hides := durable.New("hides", enters)
	both := durable.New("both", flow.Then(flow.Carry(durable.Signal[int]("go")), step.New(func(as step.Scope, _ flow.Pair[struct{}, int]) step.Next[int] {
		return step.Into(as, enters, struct{}{})
	})))
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		for _, c := range []struct {
			w    *durable.Workflow[struct{}, int]
			send func(to durable.Run[int]) error
			want string
		}{
			{knows, func(to durable.Run[int]) error { return durable.Send(t.Context(), to, "approval", "yes") }, "approval is a temporal_test.approval, not a string"},
			{knows, func(to durable.Run[int]) error { return durable.Send(t.Context(), to, "other", approval{}) }, "none is called other"},
			{knows, func(to durable.Run[int]) error { return durable.Send(t.Context(), to, "asked", approval{}) }, "none is called asked"},
			{both, func(to durable.Run[int]) error { return durable.Send(t.Context(), to, "go", "yes") }, "go is a int, not a string"},
			{hides, func(to durable.Run[int]) error { return durable.Send(t.Context(), to, "other", approval{}) }, ""},
			{knows, func(to durable.Run[int]) error { return durable.Send(t.Context(), to, "approval", approval{}) }, ""},
		} {
			run, err := c.w.Start(t.Context(), on, c.w.Name(), struct{}{})
			if err != nil {
				t.Fatal(err)
			}
			err = c.send(run)
			if (err != nil) != (c.want != "") || err != nil && (!errors.Is(err, durable.ErrUnexpectedSignal) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: got %v, want %q", c.w.Name(), err, c.want)
			}
		}
	})
}

func TestUnheardSignal(t *testing.T) {
	ask := durable.New("asks", step.New(func(as step.Scope, _ struct{}) step.Next[int] {
		return step.Into(as, durable.Signal[int]("go"), struct{}{})
	}))
	lines := func(text string) int { return strings.Count(text, "no step has received a signal") }
	var text strings.Builder
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.NewTextHandler(&text, nil))))
	e := suite.NewTestWorkflowEnvironment()
	if err := temporal.Of(ask).Register(e); err != nil {
		t.Fatal(err)
	}
	e.RegisterDelayedCallback(func() {
		e.SignalWorkflow("late", 1)
		e.SignalWorkflow("go", 7)
	}, time.Minute)
	e.ExecuteWorkflow("asks", struct{}{}, map[string]any{"signals": []any{payload(t, "kept", "1")}})
	if err := e.GetWorkflowError(); err != nil || lines(text.String()) != 2 || !strings.Contains(text.String(), "signal=late") || !strings.Contains(text.String(), "signal=kept") {
		t.Errorf("got %v, logged %s", err, text.String())
	}
	text.Reset()
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&text, nil)))
	defer slog.SetDefault(before)
	enginetest.Locally(t, func(t *testing.T, on durable.Engine) {
		run, err := ask.Start(t.Context(), on, "r", struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		for _, send := range []error{durable.Send(t.Context(), run, "go", "seven"), durable.Send(t.Context(), run, "go", 7)} {
			if send != nil {
				t.Error(send)
			}
		}
		if out, err := run.Wait(t.Context()); out != 7 || err != nil {
			t.Errorf("got %d, %v", out, err)
		}
	})
	if lines(text.String()) != 1 || !strings.Contains(text.String(), "signal=go type=string") {
		t.Errorf("logged %s", text.String())
	}
}
