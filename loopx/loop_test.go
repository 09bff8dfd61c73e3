package loopx_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func upTo(n int) step.Step[int, int] {
	return loopx.Loop(step.New(func(_ step.Scope, i int) step.Next[int] {
		if i >= n {
			return loopx.Break[int]()
		}
		return step.Succeed(i + 1)
	}))
}

func TestLoop(t *testing.T) {
	t.Run("begins with its input", func(t *testing.T) { plantest.WantResult(t, upTo(7), 3, 7) })

	t.Run("a break in the first turn gives the input", func(t *testing.T) { plantest.WantResult(t, upTo(7), 9, 9) })

	t.Run("a loop in a loop", func(t *testing.T) {
		outer := 0
		plantest.WantResult(t, loopx.Loop(flow.Then(step.New(func(_ step.Scope, in int) step.Next[int] {
			if outer++; outer > 3 {
				return loopx.Break[int]()
			}
			return step.Succeed(in * 10)
		}), loopx.Loop(step.New(func(_ step.Scope, in int) step.Next[int] {
			if in%10 == outer {
				return loopx.Break[int]() // breaks this loop only
			}
			return step.Succeed(in + 1)
		})))), 0, 123)
	})
}

func TestTenMillionTurnsHoldConstantMemory(t *testing.T) {
	n := 10_000_000
	if testing.Short() || racetest.Enabled {
		n = 300_000
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got, err := flow.Run(t.Context(), upTo(n), 0); got != n || err != nil {
		t.Fatalf("got %d, %v", got, err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("%d turns allocated %d bytes in all", n, grown)
	}
}

func TestLongLoopStarvesNobody(t *testing.T) {
	l := tooltest.New()
	stop := false
	long := flow.Start(t.Context(), l, loopx.Loop(step.New(func(_ step.Scope, turns int) step.Next[int] {
		if stop {
			return loopx.Break[int]()
		}
		return step.Succeed(turns + 1)
	})), 0)
	_, _ = l.Deferred(0, func() { stop = true })
	short := flow.Start(t.Context(), l, upTo(3), 0)
	if !l.RunUntil(func() bool { _, err := short.Result(); return err == nil }) {
		t.Error("the other run didn't come to its end")
	}
	l.Run()
	if turns, err := long.Result(); err != nil || turns > 1000 {
		t.Errorf("the timer came after %d turns, %v", turns, err)
	}
}

func TestCancelOfABusyLoop(t *testing.T) {
	l := tooltest.New()
	run := flow.Start(t.Context(), l, loopx.Loop(plantest.Add(1)), 0)
	_, _ = l.Deferred(time.Microsecond, func() {})
	for range 10 {
		l.Step()
	}
	run.Cancel(nil)
	if _, err := plantest.Wait(t, l, run); err == nil {
		t.Error("the loop ended by itself")
	}
}
