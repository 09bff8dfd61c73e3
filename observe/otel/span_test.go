package otel_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/codes"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe/otel"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestSpans(t *testing.T) {
	answer := func(next func(as step.Scope) step.Next[step.Unit]) step.Step[step.Unit, step.Unit] {
		return flow.Named("risky", flow.Catch(plantest.Named("", errBad), func(as step.Scope, _ error) step.Next[step.Unit] { return next(as) }))
	}
	mutex := syncx.NewMutex(1, 1)
	for _, c := range []struct {
		name string
		plan step.Step[step.Unit, step.Unit]
		want []string
	}{
		{"steps of one level", flow.Then(plantest.Delay("a", time.Second), plantest.Named("b", nil)), []string{
			"then 0s-1s",
			"  0 a 0s-1s", "    ! 0s asyncsteps.suspended", "    ! 1s asyncsteps.resumed",
			"  1 b 1s-1s",
		}},
		{"an error leaves what it passes marked", flow.Named("outer", flow.Call(plantest.Named("inner", errBad))), []string{
			"outer 0s-0s Error(Bad, bad luck)",
			"  0 outer 0s-0s Error(Bad, bad luck)",
			"    0/0 inner 0s-0s Error(Bad, bad luck)", "      ! 0s exception Bad bad luck",
		}},
		{"a recovered error leaves nothing marked", answer(func(step.Scope) step.Next[step.Unit] { return step.Succeed(step.Unit{}) }), []string{
			"risky 0s-0s",
			"  0 risky 0s-0s", "    ! 0s exception Bad bad luck", "    ! 0s asyncsteps.handled Bad bad luck recovered",
		}},
		{"steps of a handler", answer(func(as step.Scope) step.Next[step.Unit] {
			return step.Into(as, plantest.Delay("plan b", time.Second), step.Unit{})
		}), []string{
			"risky 0s-1s",
			"  0 risky 0s-1s", "    ! 0s exception Bad bad luck", "    ! 0s asyncsteps.handled Bad bad luck recovered",
			"    0/0 plan b 0s-1s", "      ! 0s asyncsteps.suspended", "      ! 1s asyncsteps.resumed",
		}},
		{"a handler that is silent", answer(func(step.Scope) step.Next[step.Unit] { return step.Unwind[step.Unit]() }), []string{
			"risky 0s-0s Error(Bad, bad luck)",
			"  0 risky 0s-0s Error(Bad, bad luck)", "    ! 0s exception Bad bad luck", "    ! 0s asyncsteps.handled Bad bad luck silent",
		}},
		{"a timeout: what is inside is cancelled", flow.Named("limit", flow.Timeout(time.Second, plantest.Delay("slow", time.Minute))), []string{
			"limit 0s-1s Error(Timeout, step 0 limit took longer than 1s)",
			"  0 limit 0s-1s Error(Timeout, step 0 limit took longer than 1s)", "    ! 1s exception Timeout step 0 limit took longer than 1s",
			"    0/0 slow 0s-1s cancelled", "      ! 0s asyncsteps.suspended",
		}},
		{"a step that has recovered can be cancelled", flow.Timeout(time.Second, answer(func(as step.Scope) step.Next[step.Unit] {
			return step.Into(as, plantest.Delay("plan b", time.Minute), step.Unit{})
		})), []string{
			"timeout 0s-1s Error(Timeout, step 0 took longer than 1s)",
			"  0 timeout 0s-1s Error(Timeout, step 0 took longer than 1s)", "    ! 1s exception Timeout step 0 took longer than 1s",
			"    0/0 risky 0s-1s cancelled", "      ! 0s exception Bad bad luck", "      ! 0s asyncsteps.handled Bad bad luck recovered",
			"      0/0/0 plan b 0s-1s cancelled", "        ! 0s asyncsteps.suspended",
		}},
		{"branches", drop(flow.Named("both", flow.Par2(flow.Then(plantest.Delay("a", time.Second), plantest.Delay("slow", time.Minute)), plantest.Delay("quick", 2*time.Second)))), []string{
			"then 0s-1m1s",
			"  0 both 0s-1m1s <- par.1=quick <- par.0=slow",
			"    0/par.0/0 a 0s-1s", "      ! 0s asyncsteps.suspended", "      ! 1s asyncsteps.resumed",
			"    0/par.1/0 quick 0s-2s", "      ! 0s asyncsteps.suspended", "      ! 2s asyncsteps.resumed",
			"    0/par.0/1 slow 1s-1m1s", "      ! 1s asyncsteps.suspended", "      ! 1m1s asyncsteps.resumed",
			"  1 map 1m1s-1m1s",
		}},
		{"branches, of which the second fails", drop(flow.Named("both", flow.Par2(plantest.Delay("slow", time.Minute), flow.Named("outer", flow.Call(plantest.Named("bad", errBad)))))), []string{
			"then 0s-0s Error(Bad, bad luck)",
			"  0 both 0s-0s Error(Bad, bad luck) <- par.1=outer <- par.0=slow",
			"    0/par.0/0 slow 0s-0s cancelled", "      ! 0s asyncsteps.suspended",
			"    0/par.1/0 outer 0s-0s Error(Bad, bad luck)",
			"      0/par.1/0/0 bad 0s-0s Error(Bad, bad luck)", "        ! 0s exception Bad bad luck",
		}},
		{"elements: lanes are no steps", drop(flow.Then(step.Map(func(step.Unit) []step.Unit { return make([]step.Unit, 3) }), flow.ParEach(2, plantest.Delay("one", time.Second)))), []string{
			"then 0s-2s",
			"  0 map 0s-0s",
			"  1 each 0s-2s <- each.0=one <- each.1=one <- each.2=one",
			"    1/each.0/0 one 0s-1s", "      ! 0s asyncsteps.suspended", "      ! 1s asyncsteps.resumed",
			"    1/each.1/0 one 0s-1s", "      ! 0s asyncsteps.suspended", "      ! 1s asyncsteps.resumed",
			"    1/each.2/0 one 1s-2s", "      ! 1s asyncsteps.suspended", "      ! 2s asyncsteps.resumed",
			"  2 map 2s-2s",
		}},
		{"a span for each turn of a loop", loopx.Repeat(2, step.New(func(as step.Scope, _ loopx.Iteration[step.Unit]) step.Next[step.Unit] {
			return step.Into(as, plantest.Delay("turn", time.Second), step.Unit{})
		})), []string{
			"repeat 0s-2s",
			"  0 repeat 0s-2s",
			"    0/0 new 0s-1s",
			"      0/0/0 turn 0s-1s", "        ! 0s asyncsteps.suspended", "        ! 1s asyncsteps.resumed",
			"    0/0 new 1s-2s",
			"      0/0/0 turn 1s-2s", "        ! 1s asyncsteps.suspended", "        ! 2s asyncsteps.resumed",
		}},
		{"a break is no error", loopx.Loop(flow.Named("turn", step.New(func(step.Scope, step.Unit) step.Next[step.Unit] { return loopx.Break[step.Unit]() }))), []string{
			"loop 0s-0s", "  0 loop 0s-0s", "    0/0 turn 0s-0s",
		}},
		{"a queue at a guard", drop(flow.Par2(syncx.Sync(mutex, plantest.Delay("in", time.Second)), flow.Timeout(time.Millisecond, syncx.Sync(mutex, plantest.Named("never", nil))))), []string{
			"then 0s-1ms Error(Timeout, step 0/par.1/0 took longer than 1ms)",
			"  0 par 0s-1ms Error(Timeout, step 0/par.1/0 took longer than 1ms) <- par.1=timeout <- par.0=sync",
			"    0/par.0/0 sync 0s-1ms cancelled",
			"      0/par.0/0/0 in 0s-1ms cancelled", "        ! 0s asyncsteps.suspended",
			"    0/par.1/0 timeout 0s-1ms Error(Timeout, step 0/par.1/0 took longer than 1ms)",
			"      ! 1ms exception Timeout step 0/par.1/0 took longer than 1ms",
			"      0/par.1/0/0 sync 0s-1ms cancelled", "        ! 0s asyncsteps.queued",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t, otel.Options{})
			_ = runPlan(h, c.plan)
			h.wantSpans(c.want...)
		})
	}
}

func TestCancel(t *testing.T) {
	h := newHarness(t, otel.Options{})
	_ = runPlan(h, flow.Named("outer", flow.Call(plantest.Delay("w", time.Second))), func(run *flow.Running[step.Unit]) { run.Cancel(errBad) })
	h.wantSpans(
		"outer 0s-0s cancelled", "  ! 0s asyncsteps.cancelled Bad bad luck",
		"  0 outer 0s-0s cancelled",
		"    0/0 w 0s-0s cancelled", "      ! 0s asyncsteps.suspended",
	)
}

// What fails on the way out of a step that is cancelled doesn't make the step one that has failed.
func TestCancelMeetsErrors(t *testing.T) {
	failing := step.Func(func(step.Scope, flow.Ended[step.Unit, step.Unit]) (step.Unit, error) { return step.Unit{}, errBad })
	held := flow.Bracket(plantest.Named("acquire", nil), plantest.Delay("use", time.Minute), flow.Named("release", failing))
	h := newHarness(t, otel.Options{})
	_ = runPlan(h, flow.Timeout(time.Second, flow.Named("outer", flow.Call(held))))
	h.wantSpans(
		"timeout 0s-1s Error(Timeout, step 0 took longer than 1s)",
		"  0 timeout 0s-1s Error(Timeout, step 0 took longer than 1s)", "    ! 1s exception Timeout step 0 took longer than 1s",
		"    0/0 outer 0s-1s cancelled",
		"      0/0/0 bracket 0s-1s cancelled <- bracket.0=acquire <- bracket.2=release",
		"        0/0/0/0 use 0s-1s cancelled", "          ! 0s asyncsteps.suspended",
		"        0/0/0/bracket.0/0 acquire 0s-0s",
		"        0/0/0/bracket.2/0 release 1s-1s Error(Bad, bad luck)", "          ! 1s exception Bad bad luck",
	)

	h = newHarness(t, otel.Options{})
	some := flow.Some(2, plantest.Named("bad", errBad), plantest.Delay("b", time.Minute), plantest.Delay("c", time.Minute))
	_ = runPlan(h, drop(some), func(run *flow.Running[step.Unit]) { run.Cancel(nil) })
	h.wantSpans(
		"then 0s-0s cancelled", "  ! 0s asyncsteps.cancelled Cancelled context canceled",
		"  0 some 0s-0s cancelled <- some.0=bad <- some.1=b <- some.2=c",
		"    0/some.0/0 bad 0s-0s Error(Bad, bad luck)", "      ! 0s exception Bad bad luck",
		"    0/some.1/0 b 0s-0s cancelled", "      ! 0s asyncsteps.suspended",
		"    0/some.2/0 c 0s-0s cancelled", "      ! 0s asyncsteps.suspended",
	)
}

// The error of a step that is too deep for a span doesn't make a step far from it one that has failed.
func TestCancelAfterErrorsInTheDeep(t *testing.T) {
	h := newHarness(t, otel.Options{})
	caught := flow.Catch(nested(100, plantest.Named("deep", errBad)), func(step.Scope, error) step.Next[step.Unit] { return step.Succeed(step.Unit{}) })
	_ = runPlan(h, flow.Then(caught, plantest.Delay("w", time.Minute)), func(run *flow.Running[step.Unit]) { run.Cancel(nil) })
	for _, s := range h.spans.Ended() {
		if s.Name() == "w" && (s.Status().Code == codes.Error || value(s.Attributes(), otel.CancelledKey) == "") {
			t.Errorf("w has the status %v and %v", s.Status(), s.Attributes())
		}
	}
}

// The run doesn't wait for steps that a Linger has left behind, and nobody is told of their end.
func TestLeftBehind(t *testing.T) {
	h := newHarness(t, otel.Options{})
	both := drop(flow.Par(plantest.Named("done", nil), plantest.Delay("slow", time.Minute)))
	flow.Start(h.ctx, h.loop, flow.Grace(time.Hour, flow.First(flow.Linger(time.Second, flow.Shield(both)), plantest.Delay("quick", time.Second))), step.Unit{})
	h.loop.Run()
	h.wantSpans(
		"grace 0s-2s",
		"  0 grace 0s-1s",
		"    0/0 first 0s-1s <- first.1=quick <- first.0=linger",
		"      0/0/first.0/0 linger 0s-1s cancelled", "        ! 0s asyncsteps.suspended",
		"        0/0/first.0/0/0 shield 0s-2s cancelled",
		"          0/0/first.0/0/0/shield.0/0 par 0s-2s cancelled <- par.0=done",
		"            0/0/first.0/0/0/shield.0/0/par.0/0 done 0s-0s",
		"            0/0/first.0/0/0/shield.0/0/par.1/0 slow 0s-2s cancelled", "              ! 0s asyncsteps.suspended",
		"      0/0/first.1/0 quick 0s-1s", "        ! 0s asyncsteps.suspended", "        ! 1s asyncsteps.resumed",
	)
}

func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t, otel.Options{})
		ctx, cancel := context.WithTimeout(h.ctx, time.Second)
		defer cancel()
		_, err := flow.Run(ctx, plantest.Delay("w", time.Minute), step.Unit{})
		if err == nil {
			t.Fatal("the run has ended well")
		}
		h.wantSpans(
			"w 0s-1s Error(Timeout, )", "  ! 1s exception Timeout context deadline exceeded",
			"  0 w 0s-1s cancelled", "    ! 0s asyncsteps.suspended",
		)
	})
}

func TestRunsOnly(t *testing.T) {
	h := newHarness(t, otel.Options{RunsOnly: true})
	anyway := func(step.Scope, error) step.Next[step.Unit] { return step.Succeed(step.Unit{}) }
	_ = runPlan(h, flow.Named("outer", flow.Then(plantest.Delay("w", time.Second), flow.Catch(plantest.Named("a", errBad), anyway))))
	h.wantSpans("outer 0s-1s", "  ! 1s exception 0/1 Bad bad luck", "  ! 1s asyncsteps.handled 0/1 Bad bad luck recovered")
}
