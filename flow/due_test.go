package flow_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// O4, O7: two branches are completed at one moment, of which one has so many levels to leave that the run yields
// meanwhile. A limit that passes then comes after what the other one has decided: the race that it has won, or the error
// that it has raised.
func TestLimitPassesWhileTheRunYields(t *testing.T) {
	for name, c := range map[string]struct {
		plan     func(a, b step.Step[int, int]) step.Step[int, int]
		complete func(step.Done[int])
		want     int
	}{
		"a race is won": {
			func(a, b step.Step[int, int]) step.Step[int, int] { return flow.First(a, b) },
			func(a step.Done[int]) { a.Succeed(1) }, 1,
		},
		"an error is handled": {
			func(a, b step.Step[int, int]) step.Step[int, int] {
				return flow.Catch(sum(flow.Par(a, b)), func(step.Scope, error) step.Next[int] { return step.Succeed(2) })
			},
			func(a step.Done[int]) { a.Fail(errFirst) }, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, depth := range []int{0, 1, 49, 50, 51, 99, 100, 101} {
				loop := tooltest.New()
				var a, b step.Done[int]
				plan := c.plan(waitsFor(&a), nested(new(moment), depth, waitsFor(&b)))
				run := flow.Start(t.Context(), loop, flow.Timeout(time.Second, plan), 0)
				loop.Advance(0)
				c.complete(a)
				b.Succeed(3)
				loop.Step()
				loop.Lag(time.Second)
				loop.Run()
				if v, err := run.Result(); v != c.want || err != nil {
					t.Errorf("%d levels: got %d, %v", depth, v, err)
				}
			}
		})
	}
}

// waitsFor returns a step that waits, and sets done to what completes it.
func waitsFor(done *step.Done[int]) step.Step[int, int] {
	return step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(d step.Done[int]) { *done = d })
	})
}
