package loopx_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// C1, L1: a run is cancelled when a break has reached its loop and the loop hasn't taken it yet. The next run
// in that memory doesn't get the break.
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
		plantest.WantCode(t, err, fault.Cancelled)
		stop = nil
		plantest.WantResult(t, plan, 0, 3)
	}
}

// C3: a limit covers its steps until they have been left, cleanups included. If that takes longer, Timeout
// takes the place of the value, error, break or continue.
func TestC3LimitCoversCleanups(t *testing.T) {
	type iteration = loopx.Iteration[int]
	type body = step.Step[iteration, int]
	ways := map[string]struct {
		ends body
		want string // what is recorded if the cleanup ends in time
	}{
		"value":    {step.Map(func(turn iteration) int { return turn.Carry + 1 }), "turn turn 2"},
		"error":    {step.Func(func(step.Scope, iteration) (int, error) { return 0, errTurn }), "turn handler: Turn 0 Turn"},
		"break":    {step.New(func(step.Scope, iteration) step.Next[int] { return loopx.Break[int]() }), "turn 0"},
		"continue": {step.New(func(step.Scope, iteration) step.Next[int] { return loopx.Continue[int]() }), "turn turn 0"},
	}
	// released returns a body that runs ends, and then takes cleanup to be left
	released := func(ends body, cleanup time.Duration) body {
		same := step.Map(func(turn iteration) iteration { return turn })
		return flow.Bracket(same, ends, step.Delay[flow.Ended[iteration, int]](cleanup))
	}
	only := func(all flow.Plan[iteration, []int]) body {
		return flow.Then(all, step.Map(func(out []int) int { return out[len(out)-1] }))
	}
	insides := map[string]func(ends body, cleanup time.Duration) body{
		"a release":             released,
		"a release in a branch": func(ends body, cleanup time.Duration) body { return only(flow.Par(released(ends, cleanup))) },
		"a release in a shield": func(ends body, cleanup time.Duration) body { return flow.Shield(released(ends, cleanup)) },
		"a shield beside it": func(ends body, cleanup time.Duration) body {
			beside := flow.Then(step.Delay[iteration](cleanup), step.Map(func(iteration) int { return 0 }))
			return only(flow.Par(flow.Shield(beside), ends))
		},
	}
	for inside, of := range insides {
		for name, way := range ways {
			for cleanup, want := range map[time.Duration]string{
				2 * time.Second: "turn handler: Timeout 0 Timeout", time.Second / 2: way.want,
			} {
				t.Run(fmt.Sprintf("%s and then %s of %v", name, inside, cleanup), func(t *testing.T) {
					var rec recorder
					turn := flow.Then(step.Map(func(turn iteration) iteration {
						rec.Recordf("turn")
						return turn
					}), flow.Timeout(time.Second, of(way.ends, cleanup)))
					plan := flow.Grace(time.Hour, loopx.Repeat(2, flow.Catch(turn, func(_ step.Scope, err error) step.Next[int] {
						rec.Recordf("handler: %s", fault.CodeOf(err))
						return step.Unwind[int]()
					})))
					out, err := plantest.Run(t, plan, 0)
					rec.Recordf("%d", out)
					if err != nil {
						rec.Recordf("%s", fault.CodeOf(err))
					}
					if got := strings.Join(rec.Lines, " "); got != want {
						t.Errorf("got %q, want %q", got, want)
					}
				})
			}
		}
	}
}
