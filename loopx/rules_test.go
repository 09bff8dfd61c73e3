package loopx_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// A break or continue acts on the nearest loop, or on that of its label. Handlers on the
// way are not asked; hooks and cleanups of what it leaves run.
func TestL1SignalsPassHandlers(t *testing.T) {
	outer := loopx.NewLabel[int]("outer")
	for _, tt := range []struct {
		reason string
		signal step.Next[int]
		want   int // 10 for each turn of the outer loop that was ended by its body, 1 for each of the inner one
		left   int // how often a step was left
	}{
		{"break of the nearest", loopx.Break[int](), 20, 2},
		{"continue of the nearest", loopx.Continue[int](), 20, 4},
		{"break of the label", loopx.BreakTo[int](outer, 7), 7, 1},
		{"continue of the label", loopx.ContinueTo[int](outer, 3), 3, 2},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var b book
			leaves := b.hears(b.held(decides(func(step.Scope, int) step.Next[int] { return tt.signal })))
			inner := loopx.Repeat(2, step.New(func(as step.Scope, i loopx.Iteration[int]) step.Next[int] {
				return step.Into(as, leaves, i.Carry)
			}))
			turn := step.New(func(as step.Scope, i loopx.Iteration[int]) step.Next[int] {
				return step.Into(as, inner, i.Carry)
			})
			plays(t, loopx.Labelled(outer, loopx.Repeat(2, thenAdds(turn))), 0, tt.want)
			var want []string
			for range tt.left {
				want = append(want, "hook", "cleanup")
			}
			b.is(t, want...)
		})
	}
}

// Each turn has a timer, a hook and a stack of its own.
func TestL2TurnsAreFresh(t *testing.T) {
	var b book
	body := step.New(func(as step.Scope, i loopx.Iteration[int]) step.Next[int] {
		if seen := step.StackCleanup(as, func(*int) { b.say("cleanup %d", i.Index) }); *seen != 0 {
			t.Errorf("turn %d finds %d on its stack", i.Index, *seen)
		} else {
			*seen = 1
		}
		switch i.Index {
		case 1: // without a timer of its own
			return step.Into(as, takes(time.Hour), i.Carry+1)
		case 2: // without a hook of its own
			return step.Fail[int](errTurn)
		}
		as.SetTimeout(time.Minute)
		as.SetCancel(func() { b.say("hook %d", i.Index) })
		return step.Into(as, takes(time.Second), i.Carry+1)
	})
	_, err := play(t, loopx.Repeat(3, body), 0)
	coded(t, err, "Turn")
	b.is(t, "cleanup 0", "cleanup 1", "cleanup 2")
}

// Outside of its loop a signal is a broken rule.
func TestL3SignalWithoutItsLoop(t *testing.T) {
	elsewhere := loopx.NewLabel[int]("elsewhere")
	for name, signal := range map[string]step.Next[int]{
		"break": loopx.Break[int](), "continue": loopx.Continue[int](),
		"of a label": loopx.BreakTo[int](elsewhere, 1),
	} {
		t.Run(name, func(t *testing.T) {
			plan := decides(func(step.Scope, int) step.Next[int] { return signal })
			if name == "of a label" {
				plan = loopx.Loop(plan)
			}
			_, err := play(t, plan, 0)
			coded(t, err, fault.InternalError)
		})
	}
}

// An error ends the loop and goes on outwards: no further turn begins.
func TestL5ErrorEndsTheLoop(t *testing.T) {
	var b book
	loop := loopx.Repeat(5, step.New(func(_ step.Scope, i loopx.Iteration[int]) step.Next[int] {
		b.say("turn %d", i.Index)
		if i.Index == 2 {
			return step.Fail[int](errTurn)
		}
		return step.Succeed(i.Carry)
	}))
	_, err := play(t, b.hears(loop), 0)
	coded(t, err, "Turn")
	b.is(t, "turn 0", "turn 1", "turn 2", "handler: Turn")
}

// thenAdds is a turn that adds 10 when it has ended by itself.
func thenAdds(turn step.Step[loopx.Iteration[int], int]) step.Step[loopx.Iteration[int], int] {
	return flow.Then(turn, adds(10))
}
