package loopx_test

import (
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// A break or continue acts on the nearest loop, or on that of its label. No handler is given it, and the hooks and
// cleanups of what it leaves run.
func TestL1SignalsPassHandlers(t *testing.T) {
	outer := loopx.NewLabel[int]("outer")
	for _, tt := range []struct {
		reason string
		jump   step.Next[int]
		want   int // 10 for each iteration of the outer loop that wasn't left, or the value of the label's jump
		left   int // how often a step was left by a break or continue
	}{
		{"break of the nearest", loopx.Break[int](), 20, 2},
		{"continue of the nearest", loopx.Continue[int](), 20, 4},
		{"break of the label", loopx.BreakTo[int](outer, 7), 7, 1},
		{"continue of the label", loopx.ContinueTo[int](outer, 3), 3, 2},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var rec recorder
			leaves := rec.recordError(rec.withHook(step.New(func(step.Scope, int) step.Next[int] { return tt.jump })))
			inner := loopx.Repeat(2, step.New(func(as step.Scope, i loopx.Iteration[int]) step.Next[int] {
				return step.Into(as, leaves, i.Carry)
			}))
			turn := step.New(func(as step.Scope, i loopx.Iteration[int]) step.Next[int] {
				return step.Into(as, inner, i.Carry)
			})
			plantest.WantResult(t, loopx.Labelled(outer, loopx.Repeat(2, thenAdds(turn))), 0, tt.want)
			var want []string
			for range tt.left {
				want = append(want, "hook", "cleanup")
			}
			rec.Want(t, want...)
		})
	}
}

// The nearest loop counts, with or without a label, but not a loop whose handler has taken over.
func TestL1NearestLoop(t *testing.T) {
	leaves := step.New(func(step.Scope, loopx.Iteration[int]) step.Next[int] { return loopx.Break[int]() })
	labelled := loopx.Labelled(loopx.NewLabel[int]("inner"), loopx.Repeat(2, leaves))
	handled := flow.Catch(
		loopx.Repeat(2, step.New(func(step.Scope, loopx.Iteration[int]) step.Next[int] { return step.Fail[int](errTurn) })),
		func(step.Scope, error) step.Next[int] { return loopx.Break[int]() })
	for _, tt := range []struct {
		reason string
		inner  step.Step[int, int]
		want   int // 10 for each iteration of the outer loop that has ended without a break or continue
	}{
		{"it has a label", labelled, 20},
		{"its handler has taken over", handled, 0},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			carry := step.Map(func(i loopx.Iteration[int]) int { return i.Carry })
			plantest.WantResult(t, loopx.Repeat(2, thenAdds(flow.Then(carry, tt.inner))), 0, tt.want)
		})
	}
}

// Each iteration has its own timer, hook and stack.
func TestL2TurnsAreFresh(t *testing.T) {
	var rec recorder
	body := step.New(func(as step.Scope, i loopx.Iteration[int]) step.Next[int] {
		if seen := step.StackCleanup(as, func(*int) { rec.Recordf("cleanup %d", i.Index) }); *seen != 0 {
			t.Errorf("turn %d finds %d on its stack", i.Index, *seen)
		} else {
			*seen = 1
		}
		switch i.Index {
		case 1: // sets no timer
			return step.Into(as, step.Delay[int](time.Hour), i.Carry+1)
		case 2: // sets no hook
			return step.Fail[int](errTurn)
		}
		as.SetTimeout(time.Minute)
		as.SetCancel(func() { rec.Recordf("hook %d", i.Index) })
		return step.Into(as, step.Delay[int](time.Second), i.Carry+1)
	})
	_, err := plantest.Run(t, loopx.Repeat(3, body), 0)
	plantest.WantCode(t, err, "Turn")
	rec.Want(t, "cleanup 0", "cleanup 1", "cleanup 2")
}

func TestL3SignalWithoutItsLoop(t *testing.T) {
	elsewhere := loopx.NewLabel[int]("elsewhere")
	for _, tt := range []struct {
		jump step.Next[int]
		info string
	}{
		{loopx.Break[int](), "asks for break, but is in no loop"},
		{loopx.Continue[int](), "asks for continue, but is in no loop"},
		{loopx.BreakTo[int](elsewhere, 1), "asks for break elsewhere, but is in no loop of that label"},
		{loopx.ContinueTo[int](elsewhere, 1), "asks for continue elsewhere, but is in no loop of that label"},
	} {
		t.Run(tt.info, func(t *testing.T) {
			plan := step.New(func(step.Scope, int) step.Next[int] { return tt.jump })
			if strings.Contains(tt.info, "label") {
				plan = loopx.Labelled(loopx.NewLabel[int]("elsewhere"), loopx.Loop(plan)) // of the same name, but another one
			}
			_, err := plantest.Run(t, plan, 0)
			if e := plantest.WantCode(t, err, fault.InternalError); !strings.HasSuffix(e.Info, tt.info) {
				t.Errorf("got %q, want it to end with %q", e.Info, tt.info)
			}
		})
	}
}

func TestL5ErrorEndsTheLoop(t *testing.T) {
	var rec recorder
	loop := loopx.Repeat(5, step.New(func(_ step.Scope, i loopx.Iteration[int]) step.Next[int] {
		rec.Recordf("turn %d", i.Index)
		if i.Index == 2 {
			return step.Fail[int](errTurn)
		}
		return step.Succeed(i.Carry)
	}))
	// with another step beside the loop, the handler isn't the loop's own
	_, err := plantest.Run(t, rec.recordError(flow.Chain(plantest.Add(0), loop)), 0)
	plantest.WantCode(t, err, "Turn")
	rec.Want(t, "turn 0", "turn 1", "turn 2", "handler: Turn")
}

// thenAdds adds 10 to the result of an iteration that ends without a break or continue.
func thenAdds(turn step.Step[loopx.Iteration[int], int]) step.Step[loopx.Iteration[int], int] {
	return flow.Then(turn, plantest.Add(10))
}
