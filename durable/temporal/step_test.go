package temporal_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// The options are those of one step. With a RetryPolicy Temporal repeats a call after errors of its body, under the same key.
func TestStepOptions(t *testing.T) {
	var keys []string
	charge := flow.Named("charge", step.Await(func(ctx context.Context, n int) (int, error) {
		if keys = append(keys, durable.Key(ctx)); len(keys) < 3 {
			return 0, errDeclined
		}
		return n + 1, nil
	}))
	w := temporal.Of(durable.New("payments", flow.Then(charge, flow.Named("plain", step.Await(inc))), durable.Heartbeat(7*time.Second), durable.Longest(time.Hour))).
		Step("charge", workflow.ActivityOptions{
			TaskQueue: "charges", StartToCloseTimeout: time.Minute, HeartbeatTimeout: 3 * time.Second, RetryPolicy: &sdk.RetryPolicy{MaximumAttempts: 5},
		})
	e := env(t, w.Register)
	got := make(map[string]activity.Info)
	e.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		got[info.ActivityType.Name] = *info
	})
	e.ExecuteWorkflow("payments", 1)
	var n int
	if err := e.GetWorkflowResult(&n); err != nil || n != 3 {
		t.Fatalf("got %d, %v", n, err)
	}
	if len(keys) != 3 || keys[0] != keys[1] || keys[1] != keys[2] || !strings.HasSuffix(keys[0], "/0#1") {
		t.Errorf("called with keys %v", keys)
	}
	for name, want := range map[string]activity.Info{
		"payments.charge": {TaskQueue: "charges", HeartbeatTimeout: 3 * time.Second, StartToCloseTimeout: time.Minute},
		"payments.plain":  {HeartbeatTimeout: 7 * time.Second, StartToCloseTimeout: time.Hour},
	} {
		i := got[name]
		if i.HeartbeatTimeout != want.HeartbeatTimeout || i.StartToCloseTimeout != want.StartToCloseTimeout || want.TaskQueue != "" && i.TaskQueue != want.TaskQueue {
			t.Errorf("%s: got %+v", name, i)
		}
	}
}

// The body has its key, its errors are the plan's, and a result that can't be stored is an error of the step.
func TestLocalStep(t *testing.T) {
	calls := 0
	look := flow.Named("look", step.Await(func(ctx context.Context, n int) (any, error) {
		calls++
		switch {
		case n < 0:
			return nil, errDeclined
		case n == 0:
			return math.NaN(), nil
		default:
			return durable.Key(ctx), nil
		}
	}))
	plan := durable.New("looks", look, durable.Errors(map[string]error{"declined": errDeclined}))
	w := temporal.Of(plan).LocalStep("look", workflow.LocalActivityOptions{})
	for n, want := range map[int]error{1: nil, 0: durable.ErrUnstorable, -1: errDeclined} {
		calls = 0
		e := env(t, w.Register)
		started := 0
		e.SetOnActivityStartedListener(func(*activity.Info, context.Context, converter.EncodedValues) { started++ })
		local := 0
		e.SetOnLocalActivityStartedListener(func(*activity.Info, context.Context, []any) { local++ })
		e.ExecuteWorkflow("looks", n)
		var out any
		err := w.Decode(e.GetWorkflowError())
		if err == nil {
			err = e.GetWorkflowResult(&out)
		}
		if !errors.Is(err, want) || want == nil && out != "default-test-workflow-id/0#1" || calls != 1 || started != 0 || local != 1 {
			t.Errorf("%d: got %v, %v; %d calls, %d activities, %d local", n, out, err, calls, started, local)
		}
	}
}

func TestOptionsOfNoStep(t *testing.T) {
	plan := durable.New("payments", flow.Named("pause", step.Delay[int](time.Hour)))
	for _, name := range []string{"pause", "charge", ""} {
		for _, w := range []temporal.Workflow{temporal.Of(plan).Step(name, workflow.ActivityOptions{}), temporal.Of(plan).LocalStep(name, workflow.LocalActivityOptions{})} {
			if err := w.RegisterWorkflows(env(t, temporal.Of(plan).Register)); !errors.Is(err, fault.InvalidRequest) {
				t.Errorf("%q: got %v", name, err)
			}
		}
	}
}

// The worker changes while the run waits.
func TestOptionsOnServer(t *testing.T) {
	s := serve(t)
	c := s.client()
	look, charge := flow.Named("look", step.Await(inc)), flow.Named("charge", step.Await(inc))
	plan := durable.New("payments", flow.Chain(look, charge, flow.Then(step.Map(func(int) struct{} { return struct{}{} }), durable.Signal[int]("n")), look))
	w := temporal.Of(plan).LocalStep("look", workflow.LocalActivityOptions{}).Step("charge", workflow.ActivityOptions{TaskQueue: "charges"})
	stop := workUntil(t, c, "payments", w.Register)
	workUntil(t, c, "charges", w.Register)
	on := temporal.EngineWith(c, client.StartWorkflowOptions{
		TaskQueue: "payments", Memo: map[string]any{"customer": "Ann"}, StartDelay: time.Millisecond, WorkflowRunTimeout: time.Hour,
	})
	run, err := plan.Start(withinLimit(t), on, "p", 1)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := plan.Start(withinLimit(t), on, "p", 1); err != nil || again.ID() != "p" {
		t.Errorf("started again: %v, %v", again.ID(), err)
	}
	for place := ""; !strings.HasSuffix(place, " n\n"); {
		if place, err = run.Place(withinLimit(t)); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	workUntil(t, c, "payments", w.Register)
	if err = durable.Send(withinLimit(t), run, "n", 41); err != nil {
		t.Fatal(err)
	}
	if n, err := run.Wait(withinLimit(t)); n != 42 || err != nil {
		t.Errorf("got %d, %v", n, err)
	}
	info, err := c.DescribeWorkflowExecution(withinLimit(t), "p", "")
	if err != nil {
		t.Fatal(err)
	}
	var customer string
	err = converter.GetDefaultDataConverter().FromPayload(info.GetWorkflowExecutionInfo().GetMemo().GetFields()["customer"], &customer)
	if err != nil || customer != "Ann" || info.GetExecutionConfig().GetWorkflowRunTimeout().AsDuration() != time.Hour {
		t.Errorf("got %q, %v, %v", customer, err, info.GetExecutionConfig())
	}
}

// The values of ExampleEngineWith are encrypted, and another key doesn't read them.
func TestEncrypted(t *testing.T) {
	codec, err := encrypting([]byte("12345678901234567890123456789012"))
	if err != nil {
		t.Fatal(err)
	}
	other, err := encrypting([]byte("22345678901234567890123456789012"))
	if err != nil {
		t.Fatal(err)
	}
	values := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec)
	p, err := values.ToPayload("a secret")
	var s string
	if err != nil || strings.Contains(p.String(), "secret") || values.FromPayload(p, &s) != nil || s != "a secret" {
		t.Errorf("got %q of %v, %v", s, p, err)
	}
	if err = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), other).FromPayload(p, &s); err == nil {
		t.Error("another key reads it")
	}
}
