package flow_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// TestE2 tests the answers of a handler, misuse_test.go its misuse.
func TestCatch(t *testing.T) {
	handler := func(b *book) func(step.Scope, error) step.Next[none] {
		return func(_ step.Scope, err error) step.Next[none] {
			b.say("handler: %s", fault.CodeOf(err))
			return step.Succeed(none{})
		}
	}
	t.Run("success: the handler isn't called", func(t *testing.T) {
		var b book
		plantest.Gives(t, flow.Catch(b.step("body"), handler(&b)), none{}, none{})
		b.is(t, "body")
	})
	t.Run("error: the handler's value goes on", func(t *testing.T) {
		fails := step.Func(func(step.Scope, string) (int, error) { return 1, errBad })
		plantest.Gives(t, flow.Then(
			flow.Catch(fails, func(step.Scope, error) step.Next[int] { return step.Succeed(20) }),
			step.Map(func(i int) int { return i + 1 }),
		), "", 21)
	})
	t.Run("a handler around a chain of one step doesn't replace that step's own", func(t *testing.T) {
		var b book
		own := flow.Catch(b.failing("body", errBad), func(step.Scope, error) step.Next[none] {
			b.say("own handler")
			return step.Succeed(none{})
		})
		plantest.Gives(t, flow.Catch(flow.Chain[none](own), handler(&b)), none{}, none{})
		b.is(t, "body", "own handler")
	})
	t.Run("error before it: neither body nor handler is called", func(t *testing.T) {
		var b book
		_, err := plantest.Run(t, flow.Then(b.failing("before", errBad), flow.Catch(b.step("body"), handler(&b))), none{})
		plantest.HasCode(t, err, "Bad")
		b.is(t, "before")
	})
	t.Run("error after it: the handler isn't called", func(t *testing.T) {
		var b book
		_, err := plantest.Run(t, flow.Then(flow.Catch(b.step("body"), handler(&b)), b.failing("after", errBad)), none{})
		plantest.HasCode(t, err, "Bad")
		b.is(t, "body", "after")
	})
	t.Run("cancel: the handler isn't called", func(t *testing.T) {
		var b book
		err := cancelled(t, flow.Catch(b.waiting("hook"), handler(&b)))
		plantest.HasCode(t, err, fault.Cancelled)
		b.is(t, "hook")
	})
	t.Run("timeout inside: the handler is called", func(t *testing.T) {
		var b book
		plantest.Gives(t, flow.Catch(flow.Timeout(time.Second, b.waiting("hook")), handler(&b)), none{}, none{})
		b.is(t, "hook", "handler: Timeout")
	})
	t.Run("timeout of the step's own: the handler is called", func(t *testing.T) {
		var b book
		plantest.Gives(t, flow.Catch(step.New(func(as step.Scope, _ none) step.Next[none] {
			as.SetTimeout(time.Second)
			as.SetCancel(func() { b.say("hook") })
			return step.Next[none]{}
		}), handler(&b)), none{}, none{})
		b.is(t, "hook", "handler: Timeout")
	})
	t.Run("timeout outside: the handler isn't called", func(t *testing.T) {
		var b book
		_, err := plantest.Run(t, flow.Timeout(time.Second, flow.Catch(b.waiting("hook"), handler(&b))), none{})
		plantest.HasCode(t, err, fault.Timeout)
		b.is(t, "hook")
	})
	t.Run("around a step it is the step's own: asked before its cleanups", func(t *testing.T) {
		var b book
		stacked := step.Func(func(as step.Scope, _ none) (none, error) {
			step.StackCleanup(as, func(*none) { b.say("cleanup") })
			return none{}, errBad
		})
		plantest.Gives(t, flow.Catch(stacked, handler(&b)), none{}, none{})
		b.is(t, "handler: Bad", "cleanup")
		b = book{}
		plantest.Gives(t, flow.Catch(flow.Chain(stacked, stacked), handler(&b)), none{}, none{})
		b.is(t, "cleanup", "handler: Bad")
		b = book{} // a second handler belongs to a step around the first one
		plantest.Gives(t, flow.Catch(flow.Catch(stacked, unwind), handler(&b)), none{}, none{})
		b.is(t, "cleanup", "handler: Bad")
	})
	t.Run("fused, it has the path and the name of its step", func(t *testing.T) {
		var b book
		fails := flow.Named("load", step.Func(func(as step.Scope, _ none) (none, error) {
			b.say("body at %s", as.Path())
			return none{}, errBad
		}))
		plantest.Gives(t, flow.Catch(fails, func(as step.Scope, _ error) step.Next[none] {
			b.say("handler at %s %q", as.Path(), as.Trace()[0].Name)
			return step.Succeed(none{})
		}), none{}, none{})
		b.is(t, "body at 0", `handler at 0 "load"`)
	})
	for name, s := range map[string]func(b *book) step.Step[none, []none]{
		"Par": func(b *book) step.Step[none, []none] { return flow.Par(b.waiting("hook"), b.failing("fails", errBad)) },
		"ParEach": func(b *book) step.Step[none, []none] {
			return flow.Then(flow.Value[none]([]none{{}}), flow.ParEach(1, flow.OnCancel(b.failing("fails", errBad), func(step.Scope) { b.say("hook") })))
		},
		"Call": func(b *book) step.Step[none, []none] {
			return flow.Then(flow.Call(flow.OnCancel(b.failing("fails", errBad), func(step.Scope) { b.say("hook") })), flow.Value[none]([]none{}))
		},
	} {
		t.Run("around "+name, func(t *testing.T) {
			var b book
			plantest.Gives(t, flow.Catch(s(&b), func(_ step.Scope, err error) step.Next[[]none] {
				b.say("handler: %s", fault.CodeOf(err))
				return step.Succeed([]none{{}, {}, {}})
			}), none{}, []none{{}, {}, {}})
			b.is(t, "fails", "hook", "handler: Bad")
		})
	}
}
