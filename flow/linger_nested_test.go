package flow_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func lingersAround(n int, s step.Step[int, int]) step.Step[int, int] {
	for range n {
		s = flow.Linger(time.Minute, s)
	}
	return s
}

// P10: once the step of a Linger is left, no body of it begins at any depth, though what it waits for is completed in
// the same moment.
func TestP10NoBodyBeginsAtAnyDepth(t *testing.T) {
	for depth := range 5 {
		var rec recorder
		var other step.Done[int]
		waits := step.New(func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) { other = done })
		})
		completes := step.Map(func(in int) int {
			other.Succeed(in)
			return in
		})
		loser := lingersAround(depth, flow.Then(waits, rec.passing("begun")))
		for what, p := range map[string]step.Step[int, int]{
			"a race":  flow.First(loser, flow.Then(step.Delay[int](oneSecond), completes)),
			"a limit": flow.Catch(flow.Timeout(oneSecond, loser), func(as step.Scope, _ error) step.Next[int] { return step.Into(as, completes, 1) }),
			"a branch": rec.recoverWith("handler", 1, sum[int](flow.Par(loser, flow.Then(flow.Then(step.Delay[int](oneSecond), completes),
				step.Func(fail))))),
			"branches inside": flow.First(lingersAround(depth, sum[int](flow.Par(loser, loser))), flow.Then(step.Delay[int](oneSecond), completes)),
		} {
			rec.Lines = nil
			if _, err := plantest.Run(t, p, 1); err != nil {
				t.Errorf("depth %d, %s: %v", depth, what, err)
			}
			if len(rec.Lines) > 1 || len(rec.Lines) == 1 && rec.Lines[0] == "begun" {
				t.Errorf("depth %d, %s: %v", depth, what, rec.Lines)
			}
		}
	}
}

// P10, K5: a Saga around a Linger is that of the steps in it, as long as the step isn't left.
func TestP10SagaAroundALinger(t *testing.T) {
	for depth := range 3 {
		var a bookings
		_, err := plantest.Run(t, flow.Saga(flow.Then(lingersAround(depth, a.books(plantest.Add(1))), step.Func(fail))), 1)
		if plantest.WantCode(t, err, errFirst.Code); a.booked != 0 {
			t.Errorf("depth %d: %d booked", depth, a.booked)
		}
		plantest.WantResult(t, flow.Saga(lingersAround(depth, a.books(plantest.Add(1)))), 1, 2)
		if a.booked != 1 {
			t.Errorf("depth %d: %d booked after a success", depth, a.booked)
		}
	}
}

// P10, K5: what an Undo in a Linger has done after the step was left is undone.
func TestP10UndoThatLingers(t *testing.T) {
	for depth := 1; depth < 3; depth++ {
		var a bookings
		late := a.books(step.Delay[int](2 * oneSecond))
		loop := tooltest.New()
		p := flow.Saga(flow.First(lingersAround(depth, flow.Grace(time.Minute, late)), step.Delay[int](oneSecond)))
		run := flow.Start(t.Context(), loop, p, 1)
		loop.Run()
		if _, err := run.Result(); err != nil || a.booked != 0 || len(loop.Errors()) > 0 {
			t.Errorf("depth %d: %v, %d booked, reported %v", depth, err, a.booked, loop.Errors())
		}
	}
}

// P10, K1: an Undo in a Shield or the like, in a part whose step was left, fails, and what it has done is undone.
func TestP10UndoInAShieldThatLingers(t *testing.T) {
	shielded := map[string]func(step.Step[int, int]) step.Step[int, int]{
		"in a shield": func(s step.Step[int, int]) step.Step[int, int] { return flow.Shield(s) },
		"in an acquire": func(s step.Step[int, int]) step.Step[int, int] {
			return flow.Bracket(s, step.Delay[int](time.Hour), step.Map(func(flow.Ended[int, int]) int { panic("nothing was acquired") }))
		},
		"in an undo that lingers": func(s step.Step[int, int]) step.Step[int, int] {
			return flow.Undo(flow.Linger(time.Minute, s), step.Map(func(int) int { panic("nothing was done") }))
		},
		"in a shield around a part": func(s step.Step[int, int]) step.Step[int, int] {
			return flow.Shield(flow.Linger(time.Minute, s))
		},
	}
	for depth := 1; depth < 3; depth++ {
		for where, shield := range shielded {
			for _, begins := range []time.Duration{0, 2 * oneSecond} {
				var a bookings
				var met error
				books := flow.Catch(a.books(step.Delay[int](3*oneSecond-begins)), func(_ step.Scope, err error) step.Next[int] {
					met = err
					return step.Unwind[int]()
				})
				loop := tooltest.New()
				late := shield(flow.Then(step.Delay[int](begins+1), flow.Of(books)))
				run := flow.Start(t.Context(), loop, flow.Saga(flow.First(lingersAround(depth, flow.Grace(time.Minute, late)), step.Delay[int](oneSecond))), 1)
				loop.Run()
				if _, err := run.Result(); err != nil || a.booked != 0 || len(loop.Errors()) > 0 {
					t.Errorf("%s, depth %d, begins at %v: %v, %d booked, reported %v", where, depth, begins, err, a.booked, loop.Errors())
				}
				if fault.CodeOf(met) != fault.Cancelled || !strings.Contains(met.Error(), "saga") {
					t.Errorf("%s, depth %d, begins at %v: the step has failed with %v", where, depth, begins, met)
				}
				if loop.Now() > 4*oneSecond {
					t.Errorf("%s, depth %d, begins at %v: the end took %v", where, depth, begins, loop.Now())
				}
			}
		}
	}
}

// P10, K5: a saga in a shield succeeds after the step of its Linger was left. What the saga has done is undone if another
// saga was around the step; otherwise it counts.
func TestP10SagaInAShieldThatLingers(t *testing.T) {
	nothing := step.Map(func(int) int { panic("nothing was done") })
	shielded := map[string]func(s step.Step[int, int]) step.Step[int, int]{
		"in a shield":               func(s step.Step[int, int]) step.Step[int, int] { return flow.Shield(s) },
		"in a shield around a part": func(s step.Step[int, int]) step.Step[int, int] { return flow.Shield(flow.Linger(time.Minute, s)) },
		"in a do":                   func(s step.Step[int, int]) step.Step[int, int] { return flow.Undo(s, nothing) },
		"in a release": func(s step.Step[int, int]) step.Step[int, int] {
			end := step.Map(func(e flow.Ended[int, int]) int { return e.Resource })
			return flow.Bracket(plantest.Add(0), step.Delay[int](time.Hour), flow.Then(end, s))
		},
	}
	for depth := 1; depth < 3; depth++ {
		for where, shield := range shielded {
			var a bookings
			late := lingersAround(depth, flow.Grace(time.Minute, shield(flow.Saga(flow.Then(a.books(plantest.Add(0)), step.Delay[int](2*oneSecond))))))
			ends := func(p step.Step[int, int]) int {
				loop := tooltest.New()
				a.booked = 0
				run := flow.Start(t.Context(), loop, p, 1)
				loop.Advance(oneSecond)
				run.Cancel(nil)
				loop.Run()
				_, err := run.Result()
				plantest.WantCode(t, err, fault.Cancelled)
				return a.booked
			}
			if kept := ends(flow.Saga(late)); kept != 0 {
				t.Errorf("%s, depth %d: %d kept in a saga that was cancelled", where, depth, kept)
			}
			if where == "in a do" {
				continue // which isn't allowed without a saga around
			}
			if kept := ends(late); kept != 1 {
				t.Errorf("%s, depth %d: %d kept by a saga that has succeeded, want 1", where, depth, kept)
			}
		}
	}
}

// P10, P8: a task that is added in a Linger belongs to the group around it.
func TestP10TasksAroundALinger(t *testing.T) {
	for depth := range 3 {
		group := flow.NewTasks[int, int]("crawl")
		seen := 0
		visit := step.Func(func(as step.Scope, n int) (int, error) {
			seen++
			if n > 0 {
				group.Go(as, n-1)
			}
			return n, nil
		})
		loop := tooltest.New()
		run := flow.Start(t.Context(), loop, group.All(2, lingersAround(depth, flow.Then(step.Delay[int](oneSecond), visit))), []int{3})
		loop.Run()
		if _, err := run.Result(); err != nil || seen != 4 {
			t.Errorf("depth %d: %v, %d tasks", depth, err, seen)
		}
	}
}

// P10: a cancel of the run reaches steps in nested Lingers.
func TestP10CancelAtAnyDepth(t *testing.T) {
	for depth := range 4 {
		var a bookings
		loop := tooltest.New()
		run := flow.Start(t.Context(), loop, flow.Saga(lingersAround(depth, flow.Then(a.books(plantest.Add(1)), step.Delay[int](time.Hour)))), 1)
		loop.Advance(oneSecond)
		run.Cancel(nil)
		loop.Run()
		_, err := run.Result()
		if plantest.WantCode(t, err, fault.Cancelled); a.booked != 0 {
			t.Errorf("depth %d: %d booked", depth, a.booked)
		}
	}
}

// P10, O4: no body of a part begins after its step was left, though the turn of the part has ended between two steps
// of one of its branches, and a branch before that takes long to be left.
func TestP10PartHasYieldedInABranch(t *testing.T) {
	for steps := 1; steps < 8; steps++ {
		for wins := range 40 {
			l := manualClock{tooltest.New(), tool.NewHost(tool.TurnLimits{Steps: steps})}
			decided, late := false, 0
			counts := step.Map(func(in int) int {
				if decided {
					late++
				}
				return in
			})
			long := flow.Chain(slices.Repeat([]step.Step[int, int]{counts}, 50)...)
			faster := flow.Chain(slices.Repeat([]step.Step[int, int]{plantest.Add(1)}, wins)...)
			wins := flow.Then(faster, step.Map(func(in int) int { decided = true; return in }))
			slow := flow.Bracket(plantest.Add(0), step.Delay[int](time.Hour), step.Delay[flow.Ended[int, int]](oneSecond/2))
			part := flow.Linger(time.Minute, sum[int](flow.Par(slow, long, long)))
			run := flow.Start(t.Context(), l, flow.First(part, wins), 0)
			l.Run()
			if _, err := run.Result(); err != nil || !decided || late > 0 {
				t.Errorf("turns of %d steps: %v, decided: %t, %d bodies begin after that", steps, err, decided, late)
			}
		}
	}
}
