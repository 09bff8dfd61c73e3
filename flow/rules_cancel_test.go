package flow_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// withHook returns a step with a cancel hook. The step waits for d and then runs s.
func (rec *recorder) withHook(name string, d time.Duration, s step.Step[int, int]) step.Step[int, int] {
	inner := flow.Then(step.Delay[int](d), s)
	return step.New(func(as step.Scope, in int) step.Next[int] {
		as.SetCancel(func() { rec.Recordf("hook of %s", name) })
		return step.Into(as, inner, in)
	})
}

// A cancel hook is called at most once, and not after its step has succeeded.
func TestC2HookIsCalledOnceOrNever(t *testing.T) {
	fails := failAfter(0, errFirst)
	for _, tt := range []struct {
		reason string
		plan   func(rec *recorder) step.Step[int, int]
		want   []string
	}{
		{"success", func(rec *recorder) step.Step[int, int] { return rec.withHook("a", 0, plantest.Add(1)) }, nil},
		{"an error behind its success", func(rec *recorder) step.Step[int, int] {
			return flow.Chain(rec.withHook("a", 0, plantest.Add(1)), fails)
		}, nil},
		{"an error inside", func(rec *recorder) step.Step[int, int] { return rec.withHook("a", 0, fails) }, []string{"hook of a"}},
		{"an error that a handler answers with another", func(rec *recorder) step.Step[int, int] {
			return flow.Catch(rec.withHook("a", 0, fails), func(step.Scope, error) step.Next[int] { return step.Fail[int](errSecond) })
		}, []string{"hook of a"}},
		{"a limit, and a cancel while it unwinds", func(rec *recorder) step.Step[int, int] {
			return flow.Timeout(time.Minute, rec.withHook("a", 0, rec.withHook("b", time.Hour, plantest.Add(1))))
		}, []string{"hook of b", "hook of a"}},
	} {
		rec := new(recorder)
		loop, run := plantest.Start(t, tt.plan(rec), 1)
		loop.Advance(time.Minute)
		run.Cancel(nil)
		loop.Run()
		_, _ = plantest.Result(t, run)
		t.Run(tt.reason, func(t *testing.T) { rec.Want(t, tt.want...) })
	}
}

// A limit cancels the steps below its own, whose handlers aren't called. Timeout is then raised at the step: its own
// hook and handler are called, then the outer ones.
func TestC3LimitIsRaisedAtItsStep(t *testing.T) {
	var rec recorder
	inner := rec.recoverWith("inner handler", 1, rec.withHook("leaf", time.Hour, plantest.Add(1)))
	own := step.New(func(as step.Scope, in int) step.Next[int] {
		as.SetTimeout(time.Second)
		as.SetCancel(func() { rec.Recordf("own hook") })
		return step.Into(as, inner, in)
	})
	_, err := plantest.Run(t, flow.Named("outside", flow.Call(rec.recordError("outer handler", flow.Call(rec.recordError("own handler", flow.Named("limited", own)))))), 1)
	rec.Want(t, "hook of leaf", "own hook", "own handler: Timeout", "outer handler: Timeout")
	if e := plantest.WantCode(t, err, fault.Timeout); e.Name != "limited" || e.Info != "step "+e.Path+" limited took longer than 1s" {
		t.Errorf("raised at %q: %q", e.Name, e.Info)
	}
}

// When a limit passes, no step below goes on: a completion by a hook comes too late.
func TestC3NothingBelowGoesOn(t *testing.T) {
	var rec recorder
	var second step.Done[int]
	completes := step.New(func(as step.Scope, _ int) step.Next[int] {
		as.SetCancel(func() { rec.Recordf("hook of the first: %t", second.Succeed(1)) })
		return step.Wait[int](as, nil)
	})
	waits := step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { second = done })
	})
	goesOn := step.Map(func(in int) int {
		rec.Recordf("the second goes on")
		return in
	})
	_, err := plantest.Run(t, flow.Timeout(time.Second, flow.Par(completes, flow.Chain(waits, goesOn))), 1)
	plantest.WantCode(t, err, fault.Timeout)
	rec.Want(t, "hook of the first: false")
}

// A hook or limit that is set again replaces the former one, and a wait keeps them. A limit must be positive.
func TestC4SettingAgainReplaces(t *testing.T) {
	t.Run("the last hook, before or after the wait", func(t *testing.T) {
		for _, late := range []bool{false, true} {
			var rec recorder
			loop, run := plantest.Start(t, step.New(func(as step.Scope, _ int) step.Next[int] {
				as.SetCancel(func() { rec.Recordf("first") })
				wait := step.Wait(as, func(step.Done[int]) {
					if late {
						as.SetCancel(func() { rec.Recordf("second") })
					}
				})
				return wait
			}), 1)
			loop.Advance(0)
			run.Cancel(nil)
			loop.Run()
			if want := map[bool]string{false: "first", true: "second"}[late]; len(rec.Lines) != 1 || rec.Lines[0] != want {
				t.Errorf("late %v: got %q", late, rec.Lines)
			}
		}
	})
	t.Run("the last limit", func(t *testing.T) {
		loop, run := plantest.Start(t, step.New(func(as step.Scope, _ int) step.Next[int] {
			as.SetTimeout(time.Second)
			as.SetTimeout(time.Hour)
			return step.Wait[int](as, nil)
		}), 1)
		loop.Advance(time.Hour - 1)
		if _, err := run.Result(); !errors.Is(err, flow.ErrRunning) {
			t.Errorf("ended early: %v", err)
		}
		loop.Advance(1)
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Timeout)
	})
	t.Run("no limit below a nanosecond", func(t *testing.T) {
		for _, limit := range []time.Duration{0, -1} {
			_, err := plantest.Run(t, step.New(func(as step.Scope, _ int) step.Next[int] {
				as.SetTimeout(limit)
				return step.Succeed(1)
			}), 1)
			plantest.WantCode(t, err, fault.InvalidRequest)
		}
	})
}

func TestC6LateCompletionReportsFalse(t *testing.T) {
	for name, leave := range map[string]func(l *tooltest.Loop, r *flow.Running[int], done step.Done[int]){
		"completed": func(l *tooltest.Loop, _ *flow.Running[int], done step.Done[int]) { done.Succeed(2); l.Run() },
		"cancelled": func(l *tooltest.Loop, r *flow.Running[int], _ step.Done[int]) { r.Cancel(nil); l.Run() },
		"timed out": func(l *tooltest.Loop, _ *flow.Running[int], _ step.Done[int]) { l.Advance(time.Minute) },
		"left by an error beside it": func(l *tooltest.Loop, _ *flow.Running[int], _ step.Done[int]) {
			l.Advance(2 * time.Second)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var done step.Done[int]
			waits := step.New(func(as step.Scope, _ int) step.Next[int] {
				return step.Wait(as, func(d step.Done[int]) { done = d })
			})
			plan := flow.Timeout(time.Minute, flow.Call(waits))
			if name == "left by an error beside it" {
				plan = flow.Timeout(time.Minute, sum(flow.Par(waits, failAfter(time.Second, errFirst))))
			}
			loop, run := plantest.Start(t, plan, 1)
			loop.Advance(0)
			leave(loop, run, done)
			want, wantErr := plantest.Result(t, run)
			if done.Succeed(3) || done.Fail(errSecond) {
				t.Error("a late completion reports true")
			}
			loop.Run()
			if got, err := run.Result(); got != want || !errors.Is(err, wantErr) {
				t.Errorf("the result became %d, %v", got, err)
			}
		})
	}
}

// A step that waits again, as in a loop, isn't completed by the Done of its earlier wait.
func TestC6CompletionOfAnEarlierWait(t *testing.T) {
	var waits []step.Done[int]
	body := step.New(func(as step.Scope, _ loopx.Iteration[int]) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) { waits = append(waits, done) })
	})
	loop, run := plantest.Start(t, loopx.Repeat(3, body), 0)
	for i := range 3 {
		loop.Run()
		for _, earlier := range waits[:i] {
			if earlier.Valid() || earlier.Succeed(-1) || earlier.Fail(errFirst) {
				t.Errorf("wait %d takes the completion of an earlier one", i)
			}
		}
		if !waits[i].Succeed(i) {
			t.Errorf("wait %d can't be completed", i)
		}
	}
	if got, err := plantest.Wait(t, loop, run); got != 2 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}

// The context of the goroutine ends with the cause. The step ends when the goroutine has returned, or else at the end
// of its grace, in which case the goroutine is reported.
func TestC7GoroutineIsJoinedOrReported(t *testing.T) {
	for _, tt := range []struct {
		reason           string
		lingers, at, end time.Duration
		reported         int
	}{
		{"it returns at once", 0, time.Second, time.Second, 0},
		{"it returns within the grace", time.Second, time.Second, 2 * time.Second, 0},
		{"it ignores its context", time.Hour, time.Second, 4 * time.Second, 1},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
				began := time.Now()
				cause := make(chan error, 1)
				run := flow.Start(t.Context(), loop, step.AwaitGrace(3*time.Second, func(ctx context.Context, in int) (int, error) {
					<-ctx.Done()
					cause <- context.Cause(ctx)
					virtualSleep(tt.lingers)
					return in, nil
				}), 1)
				virtualSleep(tt.at)
				run.Cancel(errFirst)
				_, err := run.Wait(t.Context())
				plantest.WantCode(t, err, fault.Cancelled)
				if took := time.Since(began); took != tt.end {
					t.Errorf("ended after %v, want %v", took, tt.end)
				}
				if err := <-cause; !errors.Is(err, errFirst) {
					t.Errorf("the cause is %v", err)
				}
				if n := len(reported.all()); n != tt.reported {
					t.Errorf("%d errors are reported: %v", n, reported.all())
				}
				virtualSleep(2 * time.Hour)
			})
		})
	}
}

// The context of the step after a break isn't ended by what the break has left.
func TestC2HookIsOverWhenTheRunGoesOn(t *testing.T) {
	breaks := step.New(func(step.Scope, int) step.Next[int] { return loopx.Break[int]() })
	hooked := step.New(func(as step.Scope, in int) step.Next[int] {
		as.SetCancel(func() {})
		return step.Into(as, breaks, in)
	})
	asks := step.Func(func(as step.Scope, in int) (int, error) { return in, as.Context().Err() })
	plantest.WantResult(t, flow.Then(loopx.Loop(hooked), asks), 1, 1)
}
