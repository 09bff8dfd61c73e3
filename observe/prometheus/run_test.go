package prometheus_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestRuns(t *testing.T) {
	r := newRig(t)
	start(r, flow.Named("order", takes("", time.Second)))
	cancelled := start(r, flow.Named("order", takes("", time.Second)))
	start(r, flow.Named("order", does("", errBad)))
	start(r, flow.Then(does("a", nil), does("b", nil)))
	r.is("runs_started_total runs_in_flight runs_ended_total",
		`runs_ended_total{code="Bad",plan="order"} 1`, `runs_ended_total{code="OK",plan="then"} 1`,
		`runs_in_flight{plan="order"} 2`, `runs_in_flight{plan="then"} 0`,
		`runs_started_total{plan="order"} 3`, `runs_started_total{plan="then"} 1`)
	cancelled.Cancel(errBad)
	r.loop.Run()
	r.loop.Host().Drain()
	start(r, flow.Named("late", does("", nil)))
	r.is("runs_in_flight runs_ended_total cancels_total",
		`cancels_total{plan="order"} 1`,
		`runs_ended_total{code="Bad",plan="order"} 1`, `runs_ended_total{code="Cancelled",plan="order"} 1`,
		`runs_ended_total{code="InternalError",plan="late"} 1`,
		`runs_ended_total{code="OK",plan="order"} 1`, `runs_ended_total{code="OK",plan="then"} 1`,
		`runs_in_flight{plan="late"} 0`, `runs_in_flight{plan="order"} 0`, `runs_in_flight{plan="then"} 0`)
}

// Steps with a name or a function are timed, however they end.
func TestStepDurations(t *testing.T) {
	r := newRig(t)
	start(r, loopx.Repeat(3, step.New(turn)))
	start(r, flow.Timeout(5*time.Second, takes("late", time.Hour)))
	start(r, drop(flow.Par2(step.Delay[none](time.Second), does("bad", errBad))))
	r.loop.Run()
	r.is("step_duration_seconds",
		`step_duration_seconds_sum{step="bad"} 0`, `step_duration_seconds_count{step="bad"} 1`,
		`step_duration_seconds_sum{step="late"} 5`, `step_duration_seconds_count{step="late"} 1`,
		`step_duration_seconds_sum{step="turn"} 6`, `step_duration_seconds_count{step="turn"} 3`,
		`step_duration_seconds_sum{step="wait"} 6`, `step_duration_seconds_count{step="wait"} 3`)
}

func turn(as step.Scope, _ loopx.Iteration[none]) step.Next[none] {
	return step.Into(as, takes("wait", 2*time.Second), none{})
}

// A wait that ends by a limit is counted.
func TestWaits(t *testing.T) {
	r := newRig(t)
	start(r, flow.Then(step.Delay[none](time.Second), takes("w", 2*time.Second)))
	start(r, flow.Timeout(5*time.Second, flow.Named("outer", flow.Call(takes("w", time.Hour)))))
	r.loop.Run()
	r.is("step_wait_seconds", `step_wait_seconds_sum{step="w"} 7`, `step_wait_seconds_count{step="w"} 2`)
}

func TestQueues(t *testing.T) {
	r := newRig(t)
	known, unknown := syncx.NewMutex(1, -1), syncx.NewLimiter(syncx.Limits{MaxQueue: 5, Rate: 100})
	r.Guard("door", known)
	start(r, syncx.Sync(known, takes("in", 3*time.Second)))
	start(r, syncx.Sync(known, takes("in", 3*time.Second)))
	start(r, flow.Named("section", syncx.Sync(known, takes("in", 3*time.Second))))
	start(r, flow.Timeout(time.Second, flow.Named("section", syncx.Sync(known, takes("in", 3*time.Second)))))
	start(r, syncx.Sync(unknown, takes("in", time.Second)))
	start(r, syncx.Sync(unknown, takes("in", time.Second)))
	r.loop.Run()
	r.is("queue_seconds step_wait_seconds",
		`queue_seconds_sum{guard="",step=""} 1`, `queue_seconds_count{guard="",step=""} 1`,
		`queue_seconds_sum{guard="door",step=""} 3`, `queue_seconds_count{guard="door",step=""} 1`,
		`queue_seconds_sum{guard="door",step="section"} 7`, `queue_seconds_count{guard="door",step="section"} 2`,
		`step_wait_seconds_sum{step="in"} 11`, `step_wait_seconds_count{step="in"} 5`)
}

func TestErrors(t *testing.T) {
	r := newRig(t)
	anyway := func(step.Scope, error) step.Next[none] { return step.Succeed(none{}) }
	start(r, flow.Catch(does("", errBad), anyway))
	start(r, flow.Named("outer", flow.Call(does("", errBad))))
	start(r, does("", fault.Timeout)) // raised by the step itself: no limit has passed
	start(r, flow.Named("limit", flow.Catch(flow.Timeout(time.Second, takes("", time.Hour)), anyway)))
	r.loop.Run()
	r.is("errors_raised_total timeouts_total cancels_total",
		`errors_raised_total{code="Bad"} 2`, `errors_raised_total{code="Timeout"} 1`, `timeouts_total{plan="limit"} 1`)
}

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		ctx, cancel := context.WithTimeout(observe.With(t.Context(), r), time.Second)
		defer cancel()
		if _, err := flow.Run(ctx, takes("w", time.Minute), none{}); err == nil {
			t.Error("the run has ended well")
		}
		r.is("timeouts_total runs_ended_total step_wait_seconds",
			`runs_ended_total{code="Timeout",plan="w"} 1`,
			`step_wait_seconds_sum{step="w"} 1`, `step_wait_seconds_count{step="w"} 1`,
			`timeouts_total{plan="w"} 1`)
	})
}
