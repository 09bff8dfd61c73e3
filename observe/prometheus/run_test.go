package prometheus_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestRuns(t *testing.T) {
	h := newHarness(t)
	start(h, flow.Named("order", plantest.Delay("", time.Second)))
	cancelled := start(h, flow.Named("order", plantest.Delay("", time.Second)))
	start(h, flow.Named("order", plantest.Named("", errBad)))
	start(h, flow.Then(plantest.Named("a", nil), plantest.Named("b", nil)))
	h.wantSamples("runs_started_total runs_in_flight runs_ended_total",
		`runs_ended_total{code="Bad",plan="order"} 1`, `runs_ended_total{code="OK",plan="then"} 1`,
		`runs_in_flight{plan="order"} 2`, `runs_in_flight{plan="then"} 0`,
		`runs_started_total{plan="order"} 3`, `runs_started_total{plan="then"} 1`)
	cancelled.Cancel(errBad)
	h.loop.Run()
	h.loop.Host().Drain()
	start(h, flow.Named("late", plantest.Named("", nil)))
	h.wantSamples("runs_in_flight runs_ended_total cancels_total",
		`cancels_total{plan="order"} 1`,
		`runs_ended_total{code="Bad",plan="order"} 1`, `runs_ended_total{code="Cancelled",plan="order"} 1`,
		`runs_ended_total{code="InternalError",plan="late"} 1`,
		`runs_ended_total{code="OK",plan="order"} 1`, `runs_ended_total{code="OK",plan="then"} 1`,
		`runs_in_flight{plan="late"} 0`, `runs_in_flight{plan="order"} 0`, `runs_in_flight{plan="then"} 0`)
}

// Steps with a name or a function are timed.
func TestStepDurations(t *testing.T) {
	h := newHarness(t)
	start(h, loopx.Repeat(3, step.New(turn)))
	start(h, flow.Timeout(5*time.Second, plantest.Delay("late", time.Hour)))
	start(h, drop(flow.Par2(step.Delay[step.Unit](time.Second), plantest.Named("bad", errBad))))
	h.loop.Run()
	h.wantSamples("step_duration_seconds",
		`step_duration_seconds_sum{step="bad"} 0`, `step_duration_seconds_count{step="bad"} 1`,
		`step_duration_seconds_sum{step="late"} 5`, `step_duration_seconds_count{step="late"} 1`,
		`step_duration_seconds_sum{step="turn"} 6`, `step_duration_seconds_count{step="turn"} 3`,
		`step_duration_seconds_sum{step="wait"} 6`, `step_duration_seconds_count{step="wait"} 3`)
}

func turn(as step.Scope, _ loopx.Iteration[step.Unit]) step.Next[step.Unit] {
	return step.Into(as, plantest.Delay("wait", 2*time.Second), step.Unit{})
}

func TestWaits(t *testing.T) {
	h := newHarness(t)
	start(h, flow.Then(step.Delay[step.Unit](time.Second), plantest.Delay("w", 2*time.Second)))
	start(h, flow.Timeout(5*time.Second, flow.Named("outer", flow.Call(plantest.Delay("w", time.Hour)))))
	h.loop.Run()
	h.wantSamples("step_wait_seconds", `step_wait_seconds_sum{step="w"} 7`, `step_wait_seconds_count{step="w"} 2`)
}

func TestQueues(t *testing.T) {
	h := newHarness(t)
	known, unknown := syncx.NewMutex(1, -1), syncx.NewLimiter(syncx.Limits{MaxQueue: 5, Rate: 100})
	h.Guard("door", known)
	start(h, syncx.Sync(known, plantest.Delay("in", 3*time.Second)))
	start(h, syncx.Sync(known, plantest.Delay("in", 3*time.Second)))
	start(h, flow.Named("section", syncx.Sync(known, plantest.Delay("in", 3*time.Second))))
	start(h, flow.Timeout(time.Second, flow.Named("section", syncx.Sync(known, plantest.Delay("in", 3*time.Second)))))
	start(h, syncx.Sync(unknown, plantest.Delay("in", time.Second)))
	start(h, syncx.Sync(unknown, plantest.Delay("in", time.Second)))
	h.loop.Run()
	h.wantSamples("queue_seconds step_wait_seconds",
		`queue_seconds_sum{guard="",step=""} 1`, `queue_seconds_count{guard="",step=""} 1`,
		`queue_seconds_sum{guard="door",step=""} 3`, `queue_seconds_count{guard="door",step=""} 1`,
		`queue_seconds_sum{guard="door",step="section"} 7`, `queue_seconds_count{guard="door",step="section"} 2`,
		`step_wait_seconds_sum{step="in"} 11`, `step_wait_seconds_count{step="in"} 5`)
}

func TestErrors(t *testing.T) {
	h := newHarness(t)
	anyway := func(step.Scope, error) step.Next[step.Unit] { return step.Succeed(step.Unit{}) }
	start(h, flow.Catch(plantest.Named("", errBad), anyway))
	start(h, flow.Named("outer", flow.Call(plantest.Named("", errBad))))
	start(h, plantest.Named("", fault.Timeout)) // the step returns it: no limit has passed
	start(h, flow.Named("limit", flow.Catch(flow.Timeout(time.Second, plantest.Delay("", time.Hour)), anyway)))
	h.loop.Run()
	h.wantSamples("errors_raised_total timeouts_total cancels_total",
		`errors_raised_total{code="Bad"} 2`, `errors_raised_total{code="Timeout"} 1`, `timeouts_total{plan="limit"} 1`)
}

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		ctx, cancel := context.WithTimeout(observe.With(t.Context(), h), time.Second)
		defer cancel()
		if _, err := flow.Run(ctx, plantest.Delay("w", time.Minute), step.Unit{}); err == nil {
			t.Error("the run has ended well")
		}
		h.wantSamples("timeouts_total runs_ended_total step_wait_seconds",
			`runs_ended_total{code="Timeout",plan="w"} 1`,
			`step_wait_seconds_sum{step="w"} 1`, `step_wait_seconds_count{step="w"} 1`,
			`timeouts_total{plan="w"} 1`)
	})
}
