package flow_test

import (
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// O4, O7: two branches are completed at one moment. The second has levels to leave, up to so many that the run yields
// meanwhile. A limit that passes then comes after what the first one has decided: the race that it has won, or the error
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
				plan := c.plan(waitForDone(&a), nested(new(disturbedRun), depth, waitForDone(&b)))
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

func waitForDone(done *step.Done[int]) step.Step[int, int] {
	return step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(d step.Done[int]) { *done = d })
	})
}

// O7: of two branches that are completed at one moment, the one that was completed first decides,
// however many levels there are.
func TestDecisionsCountInTheirOrder(t *testing.T) {
	first := func(s ...step.Step[int, int]) step.Step[int, int] { return flow.First(s...) }
	only := func(s ...step.Step[int, int]) step.Step[int, int] { return s[0] }
	par := func(s ...step.Step[int, int]) step.Step[int, int] { return sum(flow.Par(s...)) }
	race := func(s ...step.Step[int, int]) step.Step[int, int] { return flow.Race(s...) }
	succeed, fail := func(d step.Done[int], v int) { d.Succeed(v) }, func(d step.Done[int], _ int) { d.Fail(errFirst) }
	for name, c := range map[string]struct {
		outer, inner func(...step.Step[int, int]) step.Step[int, int]
		a, b         func(step.Done[int], int)
		fails        bool
	}{
		"a race in a race":            {first, first, succeed, succeed, false},
		"a race that fails in a race": {race, first, fail, succeed, true},
		"an error after the success":  {race, first, succeed, fail, false},
		"the first end in a race":     {race, only, fail, succeed, true},
		"the first of two errors":     {par, only, fail, func(d step.Done[int], _ int) { d.Fail(errSecond) }, true},
		"the first of two successes":  {first, only, succeed, succeed, false},
		"a race of two with a loser": {first, func(s ...step.Step[int, int]) step.Step[int, int] {
			return flow.First(s[0], step.Delay[int](time.Hour))
		}, succeed, succeed, false},
		"a race in a race in a race": {first, func(s ...step.Step[int, int]) step.Step[int, int] { return flow.First(flow.First(s...)) }, succeed, succeed, false},
		"a branch in a branch, failing": {par, func(s ...step.Step[int, int]) step.Step[int, int] {
			return flow.Then(flow.Par(s...), step.Map(func([]int) int { return 0 }))
		}, fail, func(d step.Done[int], _ int) { d.Fail(errSecond) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, levels := range []int{0, 1, 60} {
				for _, turned := range []bool{false, true} {
					m := new(disturbedRun)
					loop := tooltest.New()
					var a, b step.Done[int]
					inner := nested(m, levels, c.inner(nested(m, levels, waitForDone(&a))))
					branches := []step.Step[int, int]{inner, waitForDone(&b)}
					if turned {
						slices.Reverse(branches)
					}
					run := flow.Start(t.Context(), loop, c.outer(branches...), 0)
					loop.Advance(0)
					c.a(a, 1)
					c.b(b, 2)
					loop.Run()
					if v, err := run.Result(); c.fails && fault.CodeOf(err) != errFirst.Code || !c.fails && (v != 1 || err != nil) {
						t.Errorf("%d levels, turned %t: got %d, %v", levels, turned, v, err)
					}
				}
			}
		})
	}
}
