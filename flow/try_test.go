package flow_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

func TestTry(t *testing.T) {
	t.Run("a value", func(t *testing.T) { plantest.WantResult(t, flow.Try(plantest.Add(1)), 1, flow.Result[int]{Value: 2}) })
	t.Run("E2 an error, after handlers inside", func(t *testing.T) {
		var rec recorder
		r, err := plantest.Run(t, flow.Try(rec.recordError("inside", failAfter(oneSecond, errFirst))), 1)
		if err != nil || !errors.Is(r.Err, errFirst) || r.Value != 0 {
			t.Errorf("got %v, %v", r, err)
		}
		rec.Want(t, "inside: First")
	})
	t.Run("E4 a panic", func(t *testing.T) {
		r, err := plantest.Run(t, flow.Try(step.Map(func(int) int { panic("a bug") })), 1)
		if err != nil || fault.CodeOf(r.Err) != fault.InternalError {
			t.Errorf("got %v, %v", r, err)
		}
	})
	t.Run("each element its own", func(t *testing.T) {
		odd := step.Func(func(_ step.Scope, n int) (int, error) {
			if n%2 != 0 {
				return 0, errFirst
			}
			return n, nil
		})
		rs, err := plantest.Run(t, flow.ParEach(2, flow.Try(odd)), []int{0, 1, 2, 3})
		if err != nil || len(rs) != 4 {
			t.Fatalf("got %v, %v", rs, err)
		}
		for i, r := range rs {
			if failed := errors.Is(r.Err, errFirst); failed != (i%2 != 0) || !failed && r.Value != i {
				t.Errorf("%d: %v", i, r)
			}
		}
	})
	t.Run("C3 a limit around it passes, one inside is an error", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Timeout(oneSecond, flow.Try(step.Delay[int](2*oneSecond))), 1)
		plantest.WantCode(t, err, fault.Timeout)
		r, err := plantest.Run(t, flow.Try(flow.Timeout(oneSecond, step.Delay[int](2*oneSecond))), 1)
		if err != nil || fault.CodeOf(r.Err) != fault.Timeout {
			t.Errorf("got %v, %v", r, err)
		}
	})
	t.Run("C1 a cancel passes", func(t *testing.T) {
		loop, run := plantest.Start(t, flow.Try(step.Delay[int](oneSecond)), 1)
		loop.Advance(oneSecond / 2)
		run.Cancel(nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
	})
	t.Run("L1 a break passes", func(t *testing.T) {
		leave := step.New(func(step.Scope, loopx.Iteration[int]) step.Next[int] { return loopx.Break[int]() })
		plantest.WantResult(t, loopx.Repeat(3, flow.Then(flow.Try(leave), step.Map(func(flow.Result[int]) int { return 9 }))), 1, 1)
	})
	t.Run("E1 a handler around it is not asked", func(t *testing.T) {
		p := flow.Catch(flow.Try(step.Func(fail)), func(step.Scope, error) step.Next[flow.Result[int]] {
			t.Error("asked")
			return step.Succeed(flow.Result[int]{})
		})
		if r, err := plantest.Run(t, p, 1); err != nil || !errors.Is(r.Err, errFirst) {
			t.Errorf("got %v, %v", r, err)
		}
	})
	t.Run("a nil stage", func(t *testing.T) {
		if err := flow.Try[int, int](nil).Err(); err == nil || !strings.Contains(err.Error(), "Try: the stage is nil") {
			t.Errorf("got %v", err)
		}
	})
}
