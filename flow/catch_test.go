package flow_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// TestE2 tests the handler's answers, flow_misuse_test.go its misuse.
func TestCatch(t *testing.T) {
	handler := func(rec *recorder) func(step.Scope, error) step.Next[none] {
		return func(_ step.Scope, err error) step.Next[none] {
			rec.Recordf("handler: %s", fault.CodeOf(err))
			return step.Succeed(none{})
		}
	}
	t.Run("success: the handler isn't called", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Catch(rec.step("body"), handler(&rec)), none{}, none{})
		rec.Want(t, "body")
	})
	t.Run("error: the handler's value goes on", func(t *testing.T) {
		fails := step.Func(func(step.Scope, string) (int, error) { return 1, errBad })
		plantest.WantResult(t, flow.Then(
			flow.Catch(fails, func(step.Scope, error) step.Next[int] { return step.Succeed(20) }),
			step.Map(func(i int) int { return i + 1 }),
		), "", 21)
	})
	t.Run("a handler around a chain of one step doesn't replace that step's own", func(t *testing.T) {
		var rec recorder
		own := flow.Catch(rec.failing("body", errBad), func(step.Scope, error) step.Next[none] {
			rec.Recordf("own handler")
			return step.Succeed(none{})
		})
		plantest.WantResult(t, flow.Catch(flow.Chain[none](own), handler(&rec)), none{}, none{})
		rec.Want(t, "body", "own handler")
	})
	t.Run("error before it: neither body nor handler is called", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Then(rec.failing("before", errBad), flow.Catch(rec.step("body"), handler(&rec))), none{})
		plantest.WantCode(t, err, "Bad")
		rec.Want(t, "before")
	})
	t.Run("error after it: the handler isn't called", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Then(flow.Catch(rec.step("body"), handler(&rec)), rec.failing("after", errBad)), none{})
		plantest.WantCode(t, err, "Bad")
		rec.Want(t, "body", "after")
	})
	t.Run("cancel: the handler isn't called", func(t *testing.T) {
		var rec recorder
		err := cancelled(t, flow.Catch(rec.waiting("hook"), handler(&rec)))
		plantest.WantCode(t, err, fault.Cancelled)
		rec.Want(t, "hook")
	})
	t.Run("timeout inside: the handler is called", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Catch(flow.Timeout(time.Second, rec.waiting("hook")), handler(&rec)), none{}, none{})
		rec.Want(t, "hook", "handler: Timeout")
	})
	t.Run("timeout of the step's own: the handler is called", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Catch(step.New(func(as step.Scope, _ none) step.Next[none] {
			as.SetTimeout(time.Second)
			as.SetCancel(func() { rec.Recordf("hook") })
			return step.Next[none]{}
		}), handler(&rec)), none{}, none{})
		rec.Want(t, "hook", "handler: Timeout")
	})
	t.Run("timeout outside: the handler isn't called", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Timeout(time.Second, flow.Catch(rec.waiting("hook"), handler(&rec))), none{})
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "hook")
	})
	t.Run("around a step it is the step's own: asked before its cleanups", func(t *testing.T) {
		var rec recorder
		stacked := step.Func(func(as step.Scope, _ none) (none, error) {
			step.StackCleanup(as, func(*none) { rec.Recordf("cleanup") })
			return none{}, errBad
		})
		plantest.WantResult(t, flow.Catch(stacked, handler(&rec)), none{}, none{})
		rec.Want(t, "handler: Bad", "cleanup")
		rec = recorder{}
		plantest.WantResult(t, flow.Catch(flow.Chain(stacked, stacked), handler(&rec)), none{}, none{})
		rec.Want(t, "cleanup", "handler: Bad")
		rec = recorder{} // a second handler belongs to a step around the first one
		plantest.WantResult(t, flow.Catch(flow.Catch(stacked, unwind), handler(&rec)), none{}, none{})
		rec.Want(t, "cleanup", "handler: Bad")
	})
	t.Run("fused, it has the path and the name of its step", func(t *testing.T) {
		var rec recorder
		fails := flow.Named("load", step.Func(func(as step.Scope, _ none) (none, error) {
			rec.Recordf("body at %s", as.Path())
			return none{}, errBad
		}))
		plantest.WantResult(t, flow.Catch(fails, func(as step.Scope, _ error) step.Next[none] {
			rec.Recordf("handler at %s %q", as.Path(), as.Trace()[0].Name)
			return step.Succeed(none{})
		}), none{}, none{})
		rec.Want(t, "body at 0", `handler at 0 "load"`)
	})
	for name, s := range map[string]func(rec *recorder) step.Step[none, []none]{
		"Par": func(rec *recorder) step.Step[none, []none] {
			return flow.Par(rec.waiting("hook"), rec.failing("fails", errBad))
		},
		"ParEach": func(rec *recorder) step.Step[none, []none] {
			return flow.Then(flow.Value[none]([]none{{}}), flow.ParEach(1, flow.OnCancel(rec.failing("fails", errBad), func(step.Scope) { rec.Recordf("hook") })))
		},
		"Call": func(rec *recorder) step.Step[none, []none] {
			return flow.Then(flow.Call(flow.OnCancel(rec.failing("fails", errBad), func(step.Scope) { rec.Recordf("hook") })), flow.Value[none]([]none{}))
		},
	} {
		t.Run("around "+name, func(t *testing.T) {
			var rec recorder
			plantest.WantResult(t, flow.Catch(s(&rec), func(_ step.Scope, err error) step.Next[[]none] {
				rec.Recordf("handler: %s", fault.CodeOf(err))
				return step.Succeed([]none{{}, {}, {}})
			}), none{}, []none{{}, {}, {}})
			rec.Want(t, "fails", "hook", "handler: Bad")
		})
	}
}
