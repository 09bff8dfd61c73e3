package flow_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestOnCancel(t *testing.T) {
	hooked := func(rec *recorder, s step.Step[int, int]) flow.Plan[int, int] {
		return rec.recordError("handler", flow.OnCancel(s, func(step.Scope) { rec.Recordf("hook") }))
	}

	t.Run("C2 not after success", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, flow.Then(hooked(&rec, step.Delay[int](time.Second)), rec.waitingInt("later step")), 1)
		loop.Run()
		run.Cancel(nil)
		loop.Run()
		rec.Want(t, "later step")
	})

	t.Run("E1 after what is below, before the handler", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, hooked(&rec, rec.recordError("inner", failAfter(time.Second, errFirst))), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, errFirst.Code)
		rec.Want(t, "inner: First", "hook", "handler: First")
	})

	t.Run("not for an error that was recovered below", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, hooked(&rec, rec.recoverWith("inner", 2, failAfter(time.Second, errFirst))), 1, 2)
		rec.Want(t, "inner: First")
	})

	t.Run("C1 on cancel, without the handler", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, hooked(&rec, rec.waitingInt("leaf")), 1)
		loop.Run()
		run.Cancel(nil)
		loop.Run()
		rec.Want(t, "leaf", "hook")
	})

	t.Run("C3 on the timeout of a step outside", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, flow.Timeout(time.Second, hooked(&rec, rec.waitingInt("leaf"))), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "leaf", "hook")
	})

	t.Run("not if its step never began", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Then(failAfter(0, errFirst), hooked(&rec, plantest.Add(1))), 1)
		plantest.WantCode(t, err, errFirst.Code)
		rec.Want(t)
	})

	t.Run("E4 a panic in it joins the error", func(t *testing.T) {
		var rec recorder
		p := rec.recordError("handler", flow.OnCancel(flow.OnCancel(failAfter(0, errFirst), func(step.Scope) { panic(errSecond) }),
			func(step.Scope) { rec.Recordf("outer hook") }))
		_, err := plantest.Run(t, p, 1)
		e := plantest.WantCode(t, err, errFirst.Code)
		if len(e.Secondary) != 1 || !errors.Is(e.Secondary[0], errSecond) {
			t.Errorf("secondary: %v", e.Secondary)
		}
		rec.Want(t, "outer hook", "handler: First")
	})

	t.Run("E4 a panic in it on cancel reaches the result", func(t *testing.T) {
		var rec recorder
		p := flow.OnCancel(flow.OnCancel(rec.waitingInt("leaf"), func(step.Scope) { panic(errSecond) }), func(step.Scope) { rec.Recordf("outer hook") })
		loop, run := plantest.Start(t, p, 1)
		loop.Run()
		run.Cancel(nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, errSecond) {
			t.Errorf("the panic is missing: %v", e)
		}
		rec.Want(t, "leaf", "outer hook")
	})

	t.Run("its scope is the step's", func(t *testing.T) {
		var key = step.NewVar[int]("key")
		var rec recorder
		p := flow.OnCancel(step.Func(func(as step.Scope, in int) (int, error) {
			key.Set(as, in)
			return 0, errFirst
		}), func(as step.Scope) {
			v, ok := key.Get(as)
			rec.Recordf("%d %t %t %s", v, ok, as.Valid(), as.Path())
		})
		_, err := plantest.Run(t, flow.Then(plantest.Add(1), p), 1)
		plantest.WantCode(t, err, errFirst.Code)
		rec.Want(t, "2 true true 1")
	})

	t.Run("the context it asks for has ended, as that of its step", func(t *testing.T) {
		asked := false
		_, err := plantest.Run(t, flow.OnCancel(step.Func(fail), func(as step.Scope) {
			asked = true
			if as.Context().Err() == nil {
				t.Error("the step is being left, but its context is live")
			}
		}), 1)
		if err == nil || !asked {
			t.Errorf("got %v, hook called: %t", err, asked)
		}
	})

	t.Run("it doesn't end the context of a step further out", func(t *testing.T) {
		for _, before := range []bool{true, false} { // whether the step asks for its context, or only the hook
			plantest.WantResult(t, step.New(func(outer step.Scope, in int) step.Next[int] {
				var ctx context.Context
				if before {
					ctx = outer.Context()
				}
				inner := flow.OnCancel(step.Func(fail), func(step.Scope) { ctx = outer.Context() })
				mended := flow.Catch(inner, func(step.Scope, error) step.Next[int] { return step.Succeed(2) })
				return step.Into(outer, flow.Then(mended, step.Map(func(v int) int {
					if ctx.Err() != nil {
						t.Errorf("the step goes on, but its context has ended: %v", context.Cause(ctx))
					}
					return v
				})), in)
			}), 1, 2)
		}
	})

	t.Run("a nil hook is reported", func(t *testing.T) {
		if err := flow.OnCancel(plantest.Add(1), nil).Err(); !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("got %v", err)
		}
	})
}
