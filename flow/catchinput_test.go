package flow_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// TestCatch tests what the handlers of CatchInput and Catch have in common.
func TestCatchInput(t *testing.T) {
	fails := step.Func(func(step.Scope, int) (int, error) { return 0, errBad })
	tells := func(rec *recorder) func(step.Scope, int, error) step.Next[int] {
		return func(as step.Scope, in int, err error) step.Next[int] {
			rec.Recordf("at %s: %d, %s", as.Path(), in, fault.CodeOf(err))
			return step.Succeed(10 * in)
		}
	}
	t.Run("around one step", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Then(plantest.Add(1), flow.CatchInput(fails, tells(&rec))), 1, 20)
		rec.Want(t, "at 1: 2, Bad")
	})
	t.Run("around several: the input of the first", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.CatchInput(flow.Then(flow.Then(plantest.Add(1), plantest.Add(1)), fails), tells(&rec)), 1, 10)
		rec.Want(t, "at 0: 1, Bad")
	})
	t.Run("around a step that waits, after its timeout", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.CatchInput(flow.Timeout(time.Second, step.Delay[int](time.Minute)), tells(&rec)), 3, 30)
		rec.Want(t, "at 0: 3, Timeout")
	})
	t.Run("in a loop: the input of the turn", func(t *testing.T) {
		var rec recorder
		turn := flow.Then(step.Map(func(t loopx.Iteration[int]) int { return t.Index }), flow.CatchInput(fails, tells(&rec)))
		plantest.WantResult(t, loopx.Repeat(3, turn), 0, 20)
		rec.Want(t, "at 0/1: 0, Bad", "at 0/1: 1, Bad", "at 0/1: 2, Bad")
	})
	t.Run("two, inside out: each has its own", func(t *testing.T) {
		var rec recorder
		silent := func(_ step.Scope, in int, _ error) step.Next[int] {
			rec.Recordf("silent: %d", in)
			return step.Unwind[int]()
		}
		plantest.WantResult(t, flow.CatchInput(flow.Then(plantest.Add(5), flow.CatchInput(fails, silent)), tells(&rec)), 1, 10)
		rec.Want(t, "silent: 6", "at 0: 1, Bad")
	})
	t.Run("steps in the handler", func(t *testing.T) {
		again := func(as step.Scope, in int, _ error) step.Next[int] {
			return step.Into(as, flow.Then(plantest.Add(1), plantest.Add(1)), in)
		}
		plantest.WantResult(t, flow.CatchInput(fails, again), 7, 9)
	})
	t.Run("a step that returns a value and has broken a rule: not that value", func(t *testing.T) {
		var rec recorder
		breaks := step.Func(func(as step.Scope, in int) (int, error) { plantest.BreakRule(as); return in + 5, nil })
		plantest.WantResult(t, flow.CatchInput(breaks, tells(&rec)), 1, 10)
		rec.Want(t, "at 0: 1, InvalidRequest")
	})
	t.Run("a nil handler, a nil stage", func(t *testing.T) {
		plantest.WantCode(t, flow.CatchInput[int, int](fails, nil).Err(), fault.InvalidRequest)
		plantest.WantCode(t, flow.CatchInput(nil, tells(new(recorder))).Err(), fault.InvalidRequest)
	})
}
