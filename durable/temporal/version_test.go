package temporal_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdktemporal "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/temporal"
	"github.com/futoin-go/asyncsteps/durable/temporal/durabletest"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// appendUnnamed appends what. Without a name it is found by its path.
func appendUnnamed(what string) step.Step[string, string] {
	return step.Await(func(_ context.Context, s string) (string, error) { return s + " " + what, nil })
}

// twoVersions returns two versions of a plan whose bodies have no names. The second version has one more body, between the others.
func twoVersions() (before, after *durable.Workflow[string, string]) {
	return durable.New("rolling", flow.Chain(appendUnnamed("reserve"), appendUnnamed("charge"))),
		durable.New("rolling", flow.Chain(appendUnnamed("reserve"), appendUnnamed("wrap"), appendUnnamed("charge")))
}

// A worker with another plan refuses the call of a body, which a worker with the plan of the run then takes.
func TestRollingDeploymentOnServer(t *testing.T) {
	c := serve(t).client()
	before, after := twoVersions()
	start := func(w *durable.Workflow[string, string], options worker.Options) (stop func()) {
		t.Helper()
		serving := worker.New(c, "rolling", options)
		if err := temporal.Of(w).Register(registry{serving, options.DisableWorkflowWorker}); err != nil {
			t.Fatal(err)
		}
		if err := serving.Start(); err != nil {
			t.Fatal(err)
		}
		return serving.Stop
	}
	stopPlan := start(before, worker.Options{LocalActivityWorkerOnly: true}) // executes the plan, and calls no bodies
	stopOther := start(after, worker.Options{DisableWorkflowWorker: true})
	run, err := before.Start(t.Context(), temporal.Engine(c, "rolling"), "rolling-1", "a")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return strings.Contains(lastFailure(t, c, "rolling-1"), "another version of the plan") })
	stopOther()
	stopPlan()
	defer start(before, worker.Options{})()
	if out, err := run.Wait(withinLimit(t)); out != "a reserve charge" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

type registry struct {
	worker.Worker

	bodiesOnly bool
}

func (r registry) RegisterWorkflowWithOptions(w any, options workflow.RegisterOptions) {
	if !r.bodiesOnly {
		r.Worker.RegisterWorkflowWithOptions(w, options)
	}
}

// lastFailure returns why the last attempt of a pending activity of the run has failed; "" if there is no such failure.
func lastFailure(t *testing.T, c client.Client, id string) string {
	t.Helper()
	d, err := c.DescribeWorkflowExecution(t.Context(), id, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range d.GetPendingActivities() {
		return a.GetLastFailure().GetMessage()
	}
	return ""
}

// calls returns the ids that the activities of a run of w have in the test environment, by their names.
func calls(t *testing.T, w *durable.Workflow[string, string], version workflow.Version) map[string]string {
	t.Helper()
	ids := make(map[string]string)
	e := env(t, temporal.Of(w).Register)
	for _, patch := range []string{"p", "q"} {
		e.OnGetVersion(patch, workflow.DefaultVersion, workflow.Version(1)).Return(version)
	}
	e.SetOnActivityStartedListener(func(a *activity.Info, _ context.Context, _ converter.EncodedValues) {
		ids[a.ActivityType.Name] = a.ActivityID
	})
	e.ExecuteWorkflow(w.Name(), "a")
	if err := e.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	return ids
}

// Patches don't change the version of calls outside of them: a worker that has got a patch takes the calls of runs from before. Calls in
// the present part of a patch have a version of their own.
func TestVersionOfCall(t *testing.T) {
	one, two := appendUnnamed("one"), appendUnnamed("two")
	plan := func(s step.Step[string, string]) *durable.Workflow[string, string] {
		return durable.New("w", flow.Chain(one, s))
	}
	last := appendUnnamed("last")
	inner := func(now step.Step[string, string]) *durable.Workflow[string, string] {
		return plan(durable.Patch("p", two, flow.Then(durable.Patch("q", two, now), last)))
	}
	was := calls(t, plan(two), 1)
	for reason, w := range map[string]*durable.Workflow[string, string]{
		"patched":           plan(durable.Patch("p", two, flow.Then(two, one))),
		"patched otherwise": plan(durable.Patch("p", two, appendUnnamed("three"))),
		"patched twice":     inner(appendUnnamed("three")),
	} {
		if got := calls(t, w, workflow.DefaultVersion); got["w.0"] != was["w.0"] || got["w.1"] != was["w.1"] {
			t.Errorf("%s: the ids are %q, want %q", reason, got, was)
		}
	}
	changed := calls(t, durable.New("w", flow.Chain(one, two, two)), 1)
	if changed["w.0"] == was["w.0"] || changed["w.1"] == was["w.1"] {
		t.Errorf("a changed plan has the same versions: %q and %q", was, changed)
	}
	const body = "w.patch.p.1/patch.p/1" // the last body of the patch p
	p := calls(t, inner(appendUnnamed("three")), 1)
	if q := calls(t, inner(flow.Then(appendUnnamed("three"), one)), 1); p[body] == "" || q[body] != p[body] {
		t.Errorf("a patch inside of p changes the calls of p: %q and %q", p, q)
	}
	if q := calls(t, plan(durable.Patch("p", two, flow.Chain(durable.Patch("q", two, one), last, one))), 1); q[body] == p[body] {
		t.Errorf("a changed patch has the same version: %q and %q", p, q)
	}
}

// Neither a body nor a child workflow begins for another version of the plan.
func TestOtherVersionIsRefused(t *testing.T) {
	_, after := twoVersions()
	caller := func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			ActivityID: "/1#1@of another plan", StartToCloseTimeout: time.Minute, RetryPolicy: &sdktemporal.RetryPolicy{MaximumAttempts: 1},
		})
		return workflow.ExecuteActivity(ctx, "rolling.1", "a").Get(ctx, nil)
	}
	e := env(t, temporal.Of(after).Register)
	e.RegisterWorkflowWithOptions(caller, workflow.RegisterOptions{Name: "caller"})
	e.ExecuteWorkflow("caller")
	app, ok := errors.AsType[*sdktemporal.ApplicationError](e.GetWorkflowError())
	if !ok || app.NonRetryable() || app.NextRetryDelay() <= 0 || !strings.Contains(app.Error(), "of another plan") {
		t.Errorf("got %v, which is to be repeated", e.GetWorkflowError())
	}

	outer := durable.New("outer", flow.Named("inner", flow.Call(appendUnnamed("inside"))))
	if out, err := durabletest.Run(outer, "a"); out != "a inside" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	e = env(t, temporal.Of(outer).Register)
	e.ExecuteWorkflow("outer.inner", "a", map[string]any{"of": "another plan"})
	if err := e.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "another version of the plan") {
		t.Errorf("the child ends with %v", err)
	}
}
