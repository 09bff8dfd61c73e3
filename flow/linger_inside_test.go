package flow_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// P10: a Linger that isn't left ends when its steps have succeeded, though a Linger further in is still being left.
func TestP10LingerThatHasLeftAnother(t *testing.T) {
	const ms = time.Millisecond
	same := step.Map(func(in int) int { return in })
	quick := step.Delay[int](10 * ms)
	release := flow.Then(step.Map(func(flow.Ended[int, int]) int { return 0 }), step.Delay[int](900*ms))
	for depth := range 4 {
		var rec recorder
		around := func(s step.Step[int, int]) step.Step[int, int] { return lingersAround(depth, s) }
		// The race is decided after 10 ms. The release of its loser takes 900.
		quote := flow.First(lingersAround(1, quick), lingersAround(1, flow.Bracket(same, step.Delay[int](time.Hour), release)))

		for name, c := range map[string]struct {
			plan  step.Step[int, int]
			lines []string
		}{
			"limit": {flow.Timeout(500*ms, around(flow.Saga(flow.Then(quote, flow.Undo(rec.passing("book"), rec.passing("unbook")))))), []string{"book"}},
			"race": {
				flow.First(around(flow.Then(quote, rec.passing("won"))), lingersAround(1, flow.Then(step.Delay[int](200*ms), rec.passing("other")))),
				[]string{"won"},
			},
		} {
			rec.Lines = nil
			if _, err := plantest.Run(t, c.plan, 1); err != nil || !slices.Equal(rec.Lines, c.lines) {
				t.Errorf("%s, depth %d: %v, %v", name, depth, rec.Lines, err)
			}
		}

		var next time.Duration
		var loop *tooltest.Loop
		loop, run := plantest.Start(t, flow.Then(around(quote), step.Map(func(in int) int {
			next = loop.Now()
			return in
		})), 1)
		loop.Run()
		if _, err := plantest.Result(t, run); err != nil {
			t.Errorf("depth %d: %v", depth, err)
		}
		if end := loop.Now(); next != 10*ms || end != 910*ms {
			t.Errorf("depth %d: the next step began after %v, the run ended after %v", depth, next, end)
		}
	}
}

// P10, C1: if a body in a Linger fails with the error of the run's context, which has ended, the run is cancelled. No
// handler is asked, unless it is in a shield, and no other step begins.
func TestP10BodyFailsWithTheErrorOfTheContext(t *testing.T) {
	var asked, began bool
	caught := func(s step.Step[int, int]) step.Step[int, int] {
		return flow.Catch(s, func(step.Scope, error) step.Next[int] {
			asked = true
			return step.Succeed(1)
		})
	}
	next := step.Map(func(in int) int {
		began = true
		return in
	})
	linger := func(s step.Step[int, int]) step.Step[int, int] { return flow.Linger(time.Minute, s) }
	for name, c := range map[string]struct {
		around func(fails step.Step[int, int]) step.Step[int, int]
		asked  bool
	}{
		"handler around":  {func(s step.Step[int, int]) step.Step[int, int] { return caught(linger(s)) }, false},
		"handler inside":  {func(s step.Step[int, int]) step.Step[int, int] { return linger(flow.Then(caught(s), next)) }, false},
		"handler between": {func(s step.Step[int, int]) step.Step[int, int] { return linger(caught(linger(s))) }, false},
		"branches":        {func(s step.Step[int, int]) step.Step[int, int] { return linger(sum[int](flow.Par(caught(s), next))) }, false},
		"branch of a race": {func(s step.Step[int, int]) step.Step[int, int] {
			return flow.First(linger(caught(s)), flow.Then(step.Delay[int](time.Hour), next))
		}, false},
		"shield inside": {func(s step.Step[int, int]) step.Step[int, int] { return linger(flow.Shield(caught(s))) }, true},
		"shield around": {func(s step.Step[int, int]) step.Step[int, int] { return flow.Shield(linger(caught(s))) }, true},
	} {
		asked, began = false, false
		ctx, cancel := context.WithCancelCause(t.Context())
		fails := step.Func(func(step.Scope, int) (int, error) {
			cancel(errFirst)
			return 0, ctx.Err()
		})
		_, err := flow.Run(ctx, c.around(fails), 1)
		if asked != c.asked || began || !asked && (fault.CodeOf(err) != fault.Cancelled || !errors.Is(err, errFirst) || !errors.Is(err, context.Canceled)) {
			t.Errorf("%s: %v, a handler was asked: %t, another step began: %t", name, err, asked, began)
		}
	}
}
