package planlaws_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/planlaws"
	"github.com/futoin-go/asyncsteps/step"
)

// pausing returns a step that takes d.
func pausing[T any](d time.Duration) step.Step[T, T] {
	return step.New(func(as step.Scope, in T) step.Next[T] {
		return step.Wait(as, func(done step.Done[T]) {
			timer, _ := as.Loop().Deferred(d, func() { done.Succeed(in) })
			as.SetCancel(func() { as.Loop().Cancel(timer) })
		})
	})
}

// slowRelease needs a while to give back what it has acquired.
func slowRelease(w *world) plan {
	type ended = flow.Ended[int, int]
	acquire := step.Map(func(in int) int {
		w.Acquire("x")
		return in
	})
	release := flow.Chain(pausing[ended](100*time.Millisecond), step.Map(func(e ended) ended {
		w.Release("x")
		return e
	}))
	return flow.Bracket(acquire, pausing[int](5*time.Second), release)
}

// A limit that passes doesn't use up the graces inside the plan, nor its Lingers.
func TestLimitLeavesGraces(t *testing.T) {
	for name, build := range map[string]func(w *world) plan{
		"timeout": func(w *world) plan { return flow.Timeout(time.Second, slowRelease(w)) },
		"linger": func(w *world) plan {
			return flow.First(flow.Linger(time.Hour, slowRelease(w)), pausing[int](time.Second))
		},
		"linger around a limit": func(w *world) plan {
			return flow.Linger(time.Hour, flow.Timeout(time.Second, slowRelease(w)))
		},
	} {
		t.Run(name, func(t *testing.T) { planlaws.Check(t, planlaws.Subject[int, int]{Plan: build, Inputs: 1}) })
	}
}
