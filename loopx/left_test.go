package loopx_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// C1, L1: a run is cancelled when a break has reached its loop, and the loop hasn't taken it yet. The next run in that
// memory doesn't get the break.
func TestBreakIsNotLeftForTheNextRun(t *testing.T) {
	var stop func()
	plan := loopx.Repeat(3, step.New(func(as step.Scope, turn loopx.Iteration[int]) step.Next[int] {
		if stop != nil {
			step.StackCleanup(as, func(*int) { stop() })
			return loopx.Break[int]()
		}
		return step.Succeed(turn.Carry + 1)
	}))
	for range 20 {
		l, first := plantest.Start(t, plan, 0)
		stop = func() { first.Cancel(nil) }
		_, err := plantest.Wait(t, l, first)
		plantest.HasCode(t, err, fault.Cancelled)
		stop = nil
		plantest.Gives(t, plan, 0, 3)
	}
}

// L1: a branch breaks the loop, and the break waits for the goroutine of the other branch. A limit inside of the loop
// that passes meanwhile raises no error: no handler is called, and the loop ends.
func TestBreakIsNotSwallowedByALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b book
		turns := 0
		await := step.Await(func(_ context.Context, turn loopx.Iteration[int]) (int, error) {
			time.Sleep(200 * time.Millisecond)
			return turn.Carry, nil
		})
		breaks := step.New(func(step.Scope, loopx.Iteration[int]) step.Next[int] {
			turns++
			return loopx.Break[int]()
		})
		body := flow.Catch(flow.Timeout(100*time.Millisecond, flow.Par(await, breaks)), func(_ step.Scope, err error) step.Next[[]int] {
			b.say("handler: %s", fault.CodeOf(err))
			return step.Succeed([]int(nil))
		})
		_, err := flow.Run(t.Context(), loopx.Repeat(3, flow.Then(body, step.Map(func([]int) int { return 0 }))), 0)
		if turns != 1 || err != nil {
			t.Errorf("%d turns, %v; want one", turns, err)
		}
		b.is(t)
	})
}
