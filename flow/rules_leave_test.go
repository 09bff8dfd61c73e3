package flow_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// dropOutputs replaces the results of s by 0.
func dropOutputs[Out any](s step.Step[[]int, []Out]) step.Step[[]int, int] {
	return flow.Then(s, step.Map(func([]Out) int { return 0 }))
}

// bracketFor returns a bracket whose release takes d and records the input.
func bracketFor(rec *recorder, d time.Duration, use step.Step[int, int]) step.Step[int, int] {
	release := flow.Then(step.Delay[flow.Ended[int, int]](d), step.Map(func(e flow.Ended[int, int]) int {
		rec.Recordf("%d", e.Resource)
		return 0
	}))
	return flow.Bracket(plantest.Add(0), use, release)
}

// C10: releases of many branches take the time of one, whatever leaves the branches.
func TestC10ReleasesAreSideBySide(t *testing.T) {
	const n = 100
	forever := func(rec *recorder) step.Step[[]int, int] {
		return dropOutputs(flow.ParEach(n, bracketFor(rec, 9*oneSecond/10, rec.waitingInt("hook"))))
	}
	first := func(s step.Step[[]int, int], other step.Step[[]int, int]) flow.Plan[[]int, int] {
		return flow.First(s, other)
	}
	breaksAfter := flow.Then(step.Delay[[]int](oneSecond), step.Func(func(step.Scope, []int) (int, error) { return 0, errFirst }))
	endsAfter := flow.Then(step.Delay[[]int](oneSecond), step.Map(func([]int) int { return 1 }))
	for _, c := range []struct {
		what string
		plan func(rec *recorder) flow.Plan[[]int, int]
		code fault.Code
	}{
		{"a cancel", func(rec *recorder) flow.Plan[[]int, int] { return flow.Of(forever(rec)) }, fault.Cancelled},
		{"a limit", func(rec *recorder) flow.Plan[[]int, int] { return flow.Timeout(oneSecond, forever(rec)) }, fault.Timeout},
		{"a branch that fails", func(rec *recorder) flow.Plan[[]int, int] {
			return flow.Then(flow.Par(forever(rec), breaksAfter), step.Map(func([]int) int { return 0 }))
		}, errFirst.Code},
		{"a race that is decided", func(rec *recorder) flow.Plan[[]int, int] { return first(forever(rec), endsAfter) }, ""},
		{"a break", func(rec *recorder) flow.Plan[[]int, int] {
			leaves := flow.Then(step.Delay[[]int](oneSecond), step.New(func(step.Scope, []int) step.Next[int] { return loopx.Break[int]() }))
			both := flow.Then(flow.Par(forever(rec), leaves), step.Map(func([]int) []int { return nil }))
			return flow.Then(loopx.Loop(both), step.Map(func([]int) int { return 0 }))
		}, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			var rec recorder
			loop := tooltest.New()
			run := flow.Start(t.Context(), loop, c.plan(&rec), plantest.Ints(n))
			loop.Advance(oneSecond)
			if c.code == fault.Cancelled {
				run.Cancel(nil)
			}
			loop.Run()
			if _, err := plantest.Result(t, run); c.code != "" {
				plantest.WantCode(t, err, c.code)
			} else if err != nil {
				t.Error(err)
			}
			if at := loop.Now(); at != oneSecond+9*oneSecond/10 {
				t.Errorf("ended at %v", at)
			}
			if errs := loop.Errors(); len(errs) > 0 {
				t.Errorf("reported %v", errs)
			}
			var want []string // each hook in its turn, and then the releases
			for range n {
				want = append(want, "hook")
			}
			for i := range n {
				want = append(want, fmt.Sprint(i))
			}
			rec.Want(t, want...)
		})
	}
}

// C10, K5: the undo in one branch doesn't keep the next branch from being left. Here undos need a place that later
// branches hold until they are left.
func TestC10UndoNeedsWhatALaterBranchHolds(t *testing.T) {
	const n = 64
	for _, grace := range []time.Duration{-1, time.Minute} {
		t.Run(fmt.Sprint("grace ", grace), func(t *testing.T) {
			place := syncx.NewMutex(1, -1)
			charged := make([]int, n)
			add := func(by int) step.Step[int, int] {
				return step.Map(func(i int) int {
					charged[i] += by
					return i
				})
			}
			refund := syncx.Sync(place, flow.Then(step.Delay[int](oneSecond/10), add(-1)))
			hold := syncx.Sync(place, step.Step[int, int](flow.Then(step.Delay[int](oneSecond/10), flow.Shield(step.Delay[int](oneSecond/10)))))
			order := flow.Saga(flow.Then(flow.Undo(add(1), refund), hold))
			plan := flow.Grace(grace, flow.ParEach(n, order))
			loop := tooltest.New()
			run := flow.Start(t.Context(), loop, plan, plantest.Ints(n))
			loop.Advance(oneSecond) // some are through, one is inside, the others wait
			run.Cancel(nil)
			loop.Run()
			_, err := plantest.Result(t, run)
			plantest.WantCode(t, err, fault.Cancelled)
			if i := slices.IndexFunc(charged, func(n int) bool { return n != 0 }); i >= 0 {
				// those that were through before the cancel stay: their saga has succeeded
				through := 0
				for _, c := range charged {
					through += c
				}
				if through != 5 || i != 0 {
					t.Errorf("charged are %v", charged)
				}
			}
			if errs := loop.Errors(); len(errs) > 0 {
				t.Errorf("reported %v", errs)
			}
			if place.Inside() != 0 || place.Queued() != 0 {
				t.Errorf("%d inside, %d queued", place.Inside(), place.Queued())
			}
		})
	}
}

// C10: each branch begins to be left in its turn, and gets as far as it can at once. The hook of the step that holds
// them is called when all have ended.
func TestC10WhatCanBeDoneAtOnceIs(t *testing.T) {
	var rec recorder
	undo := func(name string, s step.Step[int, int]) step.Step[int, int] {
		return flow.Saga(flow.Then(flow.Undo(plantest.Add(0), flow.Then(rec.passing("undo "+name), s)), rec.waitingInt("hook "+name)))
	}
	nested := sum[int](flow.Par(undo("c", plantest.Add(0)), undo("d", step.Delay[int](oneSecond/2))))
	both := sum[int](flow.Par(undo("a", step.Delay[int](oneSecond/2)), nested, undo("e", flow.Then(plantest.Add(0), rec.passing("more of e")))))
	plan := flow.OnCancel(both, func(step.Scope) { rec.Recordf("outside") })
	loop, run := plantest.Start(t, plan, 1)
	loop.Advance(oneSecond)
	run.Cancel(nil)
	loop.Run()
	_, err := plantest.Result(t, run)
	plantest.WantCode(t, err, fault.Cancelled)
	rec.Want(t, "hook a", "undo a", "hook c", "undo c", "hook d", "undo d", "hook e", "undo e", "more of e", "outside")
	if at := loop.Now(); at != 3*oneSecond/2 {
		t.Errorf("ended at %v", at)
	}
}

// C10: a cancel overtakes a limit whose branches are being left.
func TestC10CancelWhileBranchesAreLeft(t *testing.T) {
	var rec recorder
	each := func(name string) step.Step[int, int] {
		return flow.Then(flow.Bracket(plantest.Add(0), rec.waitingInt("hook "+name), flow.Then(step.Map(func(flow.Ended[int, int]) int { return 0 }), step.Delay[int](oneSecond))), rec.passing("never"))
	}
	plan := rec.recordError("never", flow.Timeout(oneSecond, sum[int](flow.Par(each("a"), each("b"), flow.OnCancel(each("c"), func(step.Scope) { rec.Recordf("left c") })))))
	loop := tooltest.New()
	run := flow.Start(t.Context(), loop, flow.Grace(oneSecond/2, plan), 1)
	loop.Advance(5 * oneSecond / 4)
	run.Cancel(nil)
	loop.Run()
	_, err := plantest.Result(t, run)
	e := plantest.WantCode(t, err, fault.Cancelled)
	rec.Want(t, "hook a", "hook b", "hook c", "left c")
	// the grace counts from the limit, when the branches first had to be left
	if at := loop.Now(); at != 3*oneSecond/2 {
		t.Errorf("ended at %v", at)
	}
	lost := 0
	for _, s := range e.Secondary {
		if errors.Is(s, fault.CutOff) {
			lost++
		}
	}
	if lost != 3 || len(loop.Errors()) != 3 {
		t.Errorf("secondary %v, reported %v", e.Secondary, loop.Errors())
	}
}

// K4: no grace limits an undo or a release after an ordinary error, or a release after a break, as long as nobody waits
// for its end.
func TestK4NoGraceWithoutAnybodyWhoWaits(t *testing.T) {
	slow := step.Delay[int](time.Hour)
	for name, s := range map[string]func(*recorder) step.Step[int, int]{
		"undo": func(rec *recorder) step.Step[int, int] {
			return flow.Saga(flow.Then(flow.Undo(plantest.Add(0), flow.Then(slow, rec.passing("undone"))), step.Func(fail)))
		},
		"release": func(rec *recorder) step.Step[int, int] {
			return flow.Bracket(plantest.Add(0), step.Func(fail), flow.Then(flow.Then(step.Map(func(flow.Ended[int, int]) int { return 0 }), slow), rec.passing("undone")))
		},
		"release after a break": func(rec *recorder) step.Step[int, int] {
			release := flow.Then(flow.Then(step.Map(func(flow.Ended[int, int]) int { return 0 }), slow), rec.passing("undone"))
			leave := step.New(func(step.Scope, int) step.Next[int] { return loopx.Break[int]() })
			return flow.Then(loopx.Loop(flow.Bracket(plantest.Add(0), leave, release)), step.Func(fail))
		},
	} {
		t.Run(name, func(t *testing.T) {
			var rec recorder
			loop, run := plantest.Start(t, s(&rec), 1)
			loop.Run()
			_, err := plantest.Result(t, run)
			if e := plantest.WantCode(t, err, errFirst.Code); len(e.Secondary) > 0 || len(loop.Errors()) > 0 {
				t.Errorf("secondary %v, reported %v", e.Secondary, loop.Errors())
			}
			rec.Want(t, "undone")
			if loop.Now() != time.Hour {
				t.Errorf("ended at %v", loop.Now())
			}
		})
		t.Run(name+", and then somebody waits", func(t *testing.T) {
			for what, leave := range map[string]func(step.Step[int, int]) step.Step[int, int]{
				"a cancel": func(s step.Step[int, int]) step.Step[int, int] { return s },
				"a limit":  func(s step.Step[int, int]) step.Step[int, int] { return flow.Timeout(time.Minute, s) },
				"a failing branch": func(s step.Step[int, int]) step.Step[int, int] {
					return sum[int](flow.Par(s, flow.Then(step.Delay[int](time.Minute), step.Func(fail))))
				},
				"a decided race": func(s step.Step[int, int]) step.Step[int, int] { return flow.First(s, step.Delay[int](time.Minute)) },
			} {
				var rec recorder
				loop := tooltest.New()
				run := flow.Start(t.Context(), loop, flow.Try(leave(s(&rec))), 1)
				loop.Advance(time.Minute)
				if what == "a cancel" {
					run.Cancel(nil)
				}
				loop.Run()
				tried, err := run.Result()
				if loop.Now() != time.Minute+oneSecond {
					t.Errorf("%s: ended at %v", what, loop.Now())
				}
				if len(loop.Errors()) != 1 || fault.CodeOf(loop.Errors()[0]) != fault.CutOff {
					t.Errorf("%s: reported %v", what, loop.Errors())
				}
				if what != "a decided race" && !errors.Is(errors.Join(err, tried.Err), fault.CutOff) {
					t.Errorf("%s: %v, %v don't say that it was cut off", what, err, tried.Err)
				}
				rec.Want(t)
			}
		})
	}
}

// C10: an undo that is tried again without a pause doesn't keep other branches from being left, and so gets the place in
// the mutex that they hold.
func TestC10UndoThatIsTriedAgainAtOnce(t *testing.T) {
	var rec recorder
	one := syncx.NewMutex(1, 0) // refuses at once
	undo := retry.Of(retry.Policy{Tries: 1_000_000}, syncx.Sync(one, rec.passing("undone")))
	saga := flow.Saga(flow.Then(flow.Undo(rec.passing("done"), undo), step.Delay[int](time.Hour)))
	loop, run := plantest.Start(t, sum(flow.Par(saga, syncx.Sync(one, step.Delay[int](time.Hour)))), 1)
	loop.Advance(time.Minute)
	run.Cancel(nil)
	loop.Advance(0)
	rec.Want(t, "done", "undone")
	if _, err := run.Result(); errors.Is(err, flow.ErrRunning) {
		t.Error("the run goes on")
	}
}
