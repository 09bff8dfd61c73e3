package retry_test

import (
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// K3, R2: in an acquire and in the do of an Undo, a retry that is to be left makes no further
// attempt. In a Shield it goes on.
func TestR2RetryInWhatHears(t *testing.T) {
	attempts := 0
	count := func(takes time.Duration) step.Step[int, int] {
		return flow.Then(step.Delay[int](takes), step.Func(func(as step.Scope, _ int) (int, error) {
			attempts++
			return 0, fault.New(fault.ConnectError, "attempt "+string(rune('0'+as.Attempt())))
		}))
	}
	policy := retry.Policy{Tries: 5, Pause: 10 * time.Second}
	passOn := func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }
	for _, c := range []struct {
		name     string
		plan     flow.Plan[int, int]
		attempts int
		end      time.Duration
	}{
		{"acquire, in a pause", flow.Bracket(retry.Of(policy, count(time.Second)), step.Delay[int](0), step.Map(func(flow.Ended[int, int]) int { return 0 })), 2, 15 * time.Second},
		{"acquire with a handler, in a pause", flow.Bracket(flow.Catch(retry.Of(policy, count(time.Second)), passOn), step.Delay[int](0), step.Map(func(flow.Ended[int, int]) int { return 0 })), 2, 15 * time.Second},
		{"do, in a pause", flow.Saga(flow.Undo(retry.Of(policy, count(time.Second)), step.Delay[int](0))), 2, 15 * time.Second},
		{"do, in an attempt", flow.Saga(flow.Undo(retry.Of(policy, count(4*time.Second)), step.Delay[int](0))), 2, 18 * time.Second},
		{"a branch in a do", flow.Saga(flow.Undo(flow.Then(flow.Par(retry.Of(policy, count(time.Second)), step.Delay[int](20*time.Second)),
			step.Map(func([]int) int { return 0 })), step.Delay[int](0))), 2, 15 * time.Second},
		{"a linger in a do", flow.Saga(flow.Undo(flow.Linger(time.Hour, retry.Of(policy, count(time.Second))), step.Delay[int](0))), 2, 15 * time.Second},
		{"a linger in a linger in an acquire, in an attempt", flow.Bracket(flow.Linger(time.Hour, flow.Then(flow.Par(flow.Linger(time.Hour, retry.Of(policy, count(4*time.Second)))),
			step.Map(func([]int) int { return 0 }))), step.Delay[int](0), step.Map(func(flow.Ended[int, int]) int { return 0 })), 2, 18 * time.Second},
		{"a shield in a linger in a do", flow.Saga(flow.Undo(flow.Linger(time.Hour, flow.Shield(retry.Of(policy, count(time.Second)))), step.Delay[int](0))), 5, 45 * time.Second},
		{"a linger in a shield in a do", flow.Saga(flow.Undo(flow.Shield(flow.Linger(time.Hour, retry.Of(policy, count(time.Second)))), step.Delay[int](0))), 5, 45 * time.Second},
		{"a shield", flow.Shield(retry.Of(policy, count(time.Second))), 5, 45 * time.Second},
		{"a shield in a do", flow.Saga(flow.Undo(flow.Shield(retry.Of(policy, count(time.Second))), step.Delay[int](0))), 5, 45 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			attempts = 0
			loop := tooltest.New()
			run := flow.Start(t.Context(), loop, flow.Grace(time.Hour, c.plan), 1)
			loop.Advance(15 * time.Second) // the second attempt has ended after 12 seconds, or ends after 18
			run.Cancel(nil)
			loop.Run()
			_, err := run.Result()
			e := plantest.WantCode(t, err, fault.Cancelled)
			if attempts != c.attempts || loop.Now() != c.end {
				t.Errorf("%d attempts, ended at %v, want %d and %v", attempts, loop.Now(), c.attempts, c.end)
			}
			if len(e.Secondary) == 0 || !errors.Is(e.Secondary[0], fault.ConnectError) || len(loop.Errors()) > 0 {
				t.Errorf("secondary %v, reported %v", e.Secondary, loop.Errors())
			}
		})
	}
}
