package flow_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
)

// TestS2 tests the state, flow_misuse_test.go a nil model.
func TestCopyFrom(t *testing.T) {
	greeting := step.NewVar[string]("greeting")
	model := func(s step.Step[none, none]) flow.Model[none, none] {
		return flow.Model[none, none]{Steps: s, State: map[string]any{"greeting": "hello"}}
	}
	var rec recorder
	greet := step.Func(func(as step.Scope, _ none) (none, error) {
		word, _ := greeting.Get(as)
		rec.Recordf("%s", word)
		return none{}, nil
	})
	t.Run("success", func(t *testing.T) {
		rec = recorder{}
		plantest.WantResult(t, flow.CopyFrom(model(flow.Chain(greet, greet))), none{}, none{})
		rec.Want(t, "hello", "hello")
	})
	t.Run("without a state it is the steps", func(t *testing.T) {
		plantest.WantResult(t, flow.CopyFrom(flow.Model[int, int]{Steps: step.Map(func(i int) int { return i + 1 })}), 1, 2)
	})
	t.Run("one model twice in a plan, and in branches", func(t *testing.T) {
		rec = recorder{}
		p := flow.CopyFrom(model(greet))
		plantest.WantResult(t, flow.Par[none, none](flow.Then(p, p), p), none{}, []none{{}, {}})
		rec.Want(t, "hello", "hello", "hello")
	})
	t.Run("error before it: nothing is brought", func(t *testing.T) {
		plantest.WantResult(t, flow.Catch(
			flow.Then(rec.failing("fails", errBad), flow.CopyFrom(model(greet))),
			func(as step.Scope, _ error) step.Next[none] {
				if word, ok := greeting.Get(as); ok {
					t.Errorf("the state has %q", word)
				}
				return step.Succeed(none{})
			}), none{}, none{})
	})
	t.Run("error inside: what was brought stays", func(t *testing.T) {
		rec = recorder{}
		plantest.WantResult(t, flow.Catch(
			flow.CopyFrom(model(flow.Chain(rec.failing("fails", errBad), greet))),
			func(as step.Scope, _ error) step.Next[none] { return step.Into(as, greet, none{}) }), none{}, none{})
		rec.Want(t, "fails", "hello")
	})
	t.Run("cancel", func(t *testing.T) {
		rec = recorder{}
		plantest.WantCode(t, cancelled(t, flow.CopyFrom(model(flow.Chain(rec.waiting("hook"), greet)))), fault.Cancelled)
		rec.Want(t, "hook")
	})
	t.Run("timeout", func(t *testing.T) {
		rec = recorder{}
		_, err := plantest.Run(t, flow.Timeout(time.Second, flow.CopyFrom(model(flow.Chain(rec.waiting("hook"), greet)))), none{})
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "hook")
	})
}
