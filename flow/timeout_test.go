package flow_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

func TestTimeout(t *testing.T) {
	t.Run("a step in time gives its value", func(t *testing.T) {
		loop, run := plantest.Start(t, flow.Timeout(time.Minute, step.Delay[int](time.Second)), 7)
		loop.Run()
		if v, err := plantest.Result(t, run); v != 7 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		if now := loop.Now(); now != time.Second {
			t.Errorf("C5: the timer kept the loop busy until %v", now)
		}
	})

	t.Run("an error in time passes, and disarms", func(t *testing.T) {
		loop, run := plantest.Start(t, flow.Timeout(time.Minute, failAfter(time.Second, errFirst)), 7)
		loop.Run()
		if _, err := plantest.Result(t, run); !errors.Is(err, errFirst) {
			t.Errorf("got %v", err)
		}
		if now := loop.Now(); now != time.Second {
			t.Errorf("C5: the timer kept the loop busy until %v", now)
		}
	})

	t.Run("a cancel disarms", func(t *testing.T) {
		loop, run := plantest.Start(t, flow.Timeout(time.Minute, step.Delay[int](time.Hour)), 7)
		loop.Advance(time.Second)
		run.Cancel(nil)
		loop.Advance(0)
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
	})

	t.Run("C3 cancels everything below, then raises at the step", func(t *testing.T) {
		var rec recorder
		inside := flow.OnCancel(rec.recoverWith("inner handler", 1, rec.waitingInt("leaf")), func(step.Scope) { rec.Recordf("inner") })
		p := flow.Then(plantest.Add(0), rec.recordError("around", flow.OnCancel(flow.Named("slow one", flow.Timeout(time.Second, inside)), func(step.Scope) { rec.Recordf("outer") })))
		loop, run := plantest.Start(t, rec.recoverWith("outermost", 5, p), 1)
		loop.Run()
		if v, err := plantest.Result(t, run); v != 5 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		rec.Want(t, "leaf", "inner", "outer", "around: Timeout", "outermost: Timeout")
	})

	t.Run("C3 its own hook, then its own handler, then outwards", func(t *testing.T) {
		var rec recorder
		s := step.New(func(as step.Scope, in int) step.Next[int] {
			step.StackCleanup(as, func(*int) { rec.Recordf("cleanup") })
			as.SetTimeout(time.Second)
			as.SetCancel(func() { rec.Recordf("hook") })
			return step.Into(as, rec.recoverWith("inner", 1, rec.waitingInt("leaf")), in)
		})
		loop, run := plantest.Start(t, rec.recordError("outer", rec.recordError("own", s)), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "leaf", "hook", "own: Timeout", "cleanup", "outer: Timeout")
	})

	t.Run("C3 the error says which step and how long", func(t *testing.T) {
		loop, run := plantest.Start(t, flow.Then(plantest.Add(0), flow.Named("slow one", flow.Timeout(1500*time.Millisecond, step.Delay[int](time.Hour)))), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		e := plantest.WantCode(t, err, fault.Timeout)
		if !errors.Is(e, context.DeadlineExceeded) {
			t.Errorf("%v should be context.DeadlineExceeded", e)
		}
		if e.Path != "1" || e.Name != "slow one" || !strings.HasSuffix(e.Site.File, "timeout_test.go") {
			t.Errorf("path %q, name %q, site %v", e.Path, e.Name, e.Site)
		}
		for _, part := range []string{"1 slow one", "1.5s"} {
			if !strings.Contains(e.Info, part) {
				t.Errorf("info %q doesn't have %q", e.Info, part)
			}
		}
	})

	t.Run("C3 a handler inside can't swallow it", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, flow.Timeout(time.Second, rec.recoverWith("inner", 1, step.Delay[int](time.Hour))), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t)
	})

	t.Run("C3 covers the sub-steps of a handler inside", func(t *testing.T) {
		var rec recorder
		inside := flow.Catch(failAfter(0, errFirst), func(as step.Scope, _ error) step.Next[int] {
			return step.Into(as, rec.waitingInt("sub-step"), 1)
		})
		loop, run := plantest.Start(t, flow.Timeout(time.Second, inside), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "sub-step")
	})

	t.Run("C4 setting it again replaces it", func(t *testing.T) {
		for _, c := range []struct {
			first, second time.Duration
			passes        time.Duration
		}{
			{time.Second, time.Minute, time.Minute},
			{time.Minute, time.Second, time.Second},
		} {
			loop, run := plantest.Start(t, step.New(func(as step.Scope, _ int) step.Next[int] {
				if !as.SetTimeout(c.first) || !as.SetTimeout(c.second) {
					t.Error("SetTimeout reported false")
				}
				return step.Wait[int](as, nil)
			}), 1)
			loop.Run()
			_, err := plantest.Result(t, run)
			plantest.WantCode(t, err, fault.Timeout)
			if loop.Now() != c.passes {
				t.Errorf("passed after %v, not %v", loop.Now(), c.passes)
			}
		}
	})

	t.Run("C4 waiting set after a hook keeps the hook", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, step.New(func(as step.Scope, _ int) step.Next[int] {
			as.SetCancel(func() { rec.Recordf("former hook") })
			as.SetCancel(func() { rec.Recordf("hook") })
			return step.Wait(as, func(step.Done[int]) { as.SetTimeout(time.Second) })
		}), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "hook")
	})

	t.Run("C4 zero or less is refused", func(t *testing.T) {
		for _, d := range []time.Duration{0, -1} {
			p := flow.Timeout(d, step.Delay[int](time.Second))
			if !errors.Is(p.Err(), fault.InvalidRequest) {
				t.Errorf("combinator: %v: %v", d, p.Err())
			}
			_, err := plantest.Run(t, step.Func(func(as step.Scope, in int) (int, error) {
				if as.SetTimeout(d) { //stepvet:ignore a limit that isn't positive
					t.Errorf("SetTimeout(%v) reported true", d)
				}
				return in, nil
			}), 1)
			plantest.WantCode(t, err, fault.InvalidRequest)
		}
	})

	t.Run("C5 void after its step, in the same turn and at the same instant", func(t *testing.T) {
		// the completion is queued before the timer, for the same time
		p := flow.Then(step.New(func(as step.Scope, in int) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) {
				as.Loop().Deferred(time.Second, func() { done.Succeed(in) })
				as.SetTimeout(time.Second)
			})
		}), step.Delay[int](time.Minute))
		loop, run := plantest.Start(t, p, 3)
		loop.Run()
		if v, err := plantest.Result(t, run); v != 3 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
	})

	t.Run("C6 completion after it passed is refused", func(t *testing.T) {
		var done step.Done[int]
		s := step.New(func(as step.Scope, _ int) step.Next[int] {
			as.SetTimeout(time.Second)
			return step.Wait(as, func(d step.Done[int]) { done = d })
		})
		loop, run := plantest.Start(t, flow.Catch(s, func(as step.Scope, _ error) step.Next[int] {
			if done.Succeed(1) {
				t.Error("completed before the handler answered")
			}
			return step.Into(as, step.Delay[int](time.Minute), 2)
		}), 1)
		loop.Advance(2 * time.Second)
		if done.Valid() || done.Succeed(1) {
			t.Error("completed while the handler's sub-steps run")
		}
		loop.Run()
		if v, err := plantest.Result(t, run); v != 2 || err != nil {
			t.Errorf("got %d, %v", v, err)
		}
		if done.Fail(errFirst) {
			t.Error("completed after the end")
		}
	})
}

func TestTimeoutsNested(t *testing.T) {
	for _, c := range []struct {
		name         string
		outer, inner time.Duration
		want         []string
		value        int
	}{
		{"the inner passes first", time.Minute, time.Second, []string{"leaf", "between: Timeout"}, 1},
		{"the outer passes first", time.Second, time.Minute, []string{"leaf"}, 0},
		{"at the same instant the outer, armed first, passes", time.Second, time.Second, []string{"leaf"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rec recorder
			inner := rec.recoverWith("between", 1, flow.Timeout(c.inner, rec.waitingInt("leaf")))
			loop, run := plantest.Start(t, flow.Timeout(c.outer, inner), 1)
			loop.Run()
			v, err := plantest.Result(t, run)
			rec.Want(t, c.want...)
			if c.value != 0 {
				if v != c.value || err != nil {
					t.Errorf("got %d, %v", v, err)
				}
				return
			}
			if e := plantest.WantCode(t, err, fault.Timeout); e.Path != "0" {
				t.Errorf("raised at %q", e.Path)
			}
		})
	}
}

// C3, C7: while the end of a step waits for a goroutine, an outer limit passes or the run is cancelled.
func TestTimeoutWhileLeaving(t *testing.T) {
	const leaving = 100 * time.Millisecond // how long the goroutine takes after the inner limit of 10 ms has passed
	plan := func(rec *recorder) flow.Plan[int, int] {
		inner := flow.OnCancel(flow.Timeout(10*time.Millisecond, flow.OnCancel(stopsAfter(leaving), func(step.Scope) { rec.Recordf("leaf") })), func(step.Scope) { rec.Recordf("inner") })
		return rec.recordError("between", inner)
	}
	for _, c := range []struct {
		name   string
		outer  time.Duration // the outer limit
		cancel time.Duration // when the run is cancelled; 0 for never
		want   []string
		code   fault.Code
		ends   time.Duration
		met    int // number of secondary errors: limits whose errors were replaced
	}{
		{"nothing", time.Hour, 0, []string{"leaf", "inner", "between: Timeout"}, fault.Timeout, 110 * time.Millisecond, 0},
		{"an outer limit", 50 * time.Millisecond, 0, []string{"leaf", "inner"}, fault.Timeout, 110 * time.Millisecond, 1},
		{"a cancel", time.Hour, 50 * time.Millisecond, []string{"leaf", "inner"}, fault.Cancelled, 110 * time.Millisecond, 1},
		{"an outer limit, then a cancel", 30 * time.Millisecond, 50 * time.Millisecond, []string{"leaf", "inner"}, fault.Cancelled, 110 * time.Millisecond, 2},
		{"a cancel, then an outer limit", 50 * time.Millisecond, 30 * time.Millisecond, []string{"leaf", "inner"}, fault.Cancelled, 110 * time.Millisecond, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
				var rec recorder
				began := time.Now()
				run := flow.Start(t.Context(), loop, flow.Timeout(c.outer, plan(&rec)), 1)
				if c.cancel != 0 {
					virtualSleep(c.cancel)
					run.Cancel(nil)
				}
				_, err := run.Wait(t.Context())
				if took := time.Since(began); took != c.ends {
					t.Errorf("ended after %v, not %v", took, c.ends)
				}
				e := plantest.WantCode(t, err, c.code)
				if len(e.Secondary) != c.met {
					t.Errorf("%d secondary errors, not %d: %v", len(e.Secondary), c.met, e.Secondary)
				}
				rec.Want(t, c.want...)
				if errs := reported.all(); len(errs) != 0 {
					t.Errorf("reported: %v", errs)
				}
			})
		})
	}
}
