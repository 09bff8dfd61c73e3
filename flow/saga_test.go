package flow_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// undoable returns an Undo whose step adds one; both the step and its undo write name.
func (rec *recorder) undoable(name string) step.Step[int, int] {
	undo := flow.Then(step.Delay[int](oneSecond/2), step.Map(func(n int) string {
		rec.Recordf("undo %s %d", name, n)
		return ""
	}))
	return flow.Undo(flow.Then(flow.Then(rec.passing("do "+name), step.Delay[int](oneSecond)), plantest.Add(1)), undo)
}

func TestSaga(t *testing.T) {
	t.Run("K5 success undoes nothing", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Saga(flow.Then(rec.undoable("a"), rec.undoable("b"))), 1, 3)
		rec.Want(t, "do a", "do b")
	})
	t.Run("K5 an error, newest first, before handlers are asked", func(t *testing.T) {
		var rec recorder
		p := flow.Then(flow.Then(rec.undoable("a"), rec.undoable("b")), flow.Then(rec.undoable("c"), rec.recordError("inside", failAfter(oneSecond, errFirst))))
		_, err := plantest.Run(t, rec.recordError("outside", flow.Saga(p)), 1)
		if e := plantest.WantCode(t, err, errFirst.Code); len(e.Secondary) != 0 || e.Path != "0/3/1" {
			t.Errorf("path %q, secondary %v", e.Path, e.Secondary)
		}
		rec.Want(t, "do a", "do b", "do c", "inside: First", "undo c 4", "undo b 3", "undo a 2", "outside: First")
	})
	t.Run("K5 the handler of the saga itself", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, rec.recoverWith("own", 7, flow.Saga(flow.Then(rec.undoable("a"), step.Func(fail)))), 1, 7)
		rec.Want(t, "do a", "undo a 2", "own: First")
	})
	t.Run("K5 a saga that was undone takes the effects of its next execution", func(t *testing.T) {
		var rec recorder
		body := rec.recoverWith("own", 7, flow.Saga(flow.Then(rec.undoable("a"), step.Func(fail))))
		again := step.Map(func(it loopx.Iteration[int]) int { return it.Carry })
		plantest.WantResult(t, loopx.Repeat(2, flow.Then(again, body)), 1, 7)
		rec.Want(t, "do a", "undo a 2", "own: First", "do a", "undo a 8", "own: First")
	})
	t.Run("K5 newest first by the time of success, also where one has further to go until it is noted", func(t *testing.T) {
		var rec recorder
		deep, late := rec.passing("deep"), flow.Then(flow.Shield(flow.Shield(plantest.Add(0))), rec.passing("late"))
		for range 3 {
			deep = flow.Shield(deep)
		}
		both := flow.Par(flow.Undo(deep, rec.passing("undo deep")), flow.Undo(late, rec.passing("undo late")))
		_, err := plantest.Run(t, flow.Saga(flow.Then(sum(both), step.Func(fail))), 1)
		plantest.WantCode(t, err, errFirst.Code)
		if len(rec.Lines) != 4 || rec.Lines[2] != "undo "+rec.Lines[1] || rec.Lines[3] != "undo "+rec.Lines[0] {
			t.Errorf("got %q", rec.Lines)
		}
	})
	for name, failureFirst := range map[string]bool{
		"K5 newest first: a handler answers to a failure from before the other success": true,
		"K5 newest first: a handler answers to a failure from after the other success":  false,
	} {
		t.Run(name, func(t *testing.T) {
			var rec recorder
			var other, mended step.Done[int]
			both := flow.Par(
				flow.Undo(waitForDone(&other), rec.passing("undo other")),
				flow.Undo(rec.recoverWith("handler", 7, waitForDone(&mended)), rec.passing("undo mended")),
			)
			loop, run := plantest.Start(t, flow.Saga(flow.Then(sum(both), step.Func(fail))), 1)
			loop.Run()
			want := []string{"handler: Second", "undo mended", "undo other"}
			// both come in one turn
			if failureFirst {
				mended.Fail(errSecond)
				other.Succeed(1)
				want = []string{"handler: Second", "undo other", "undo mended"}
			} else {
				other.Succeed(1)
				mended.Fail(errSecond)
			}
			loop.Run()
			_, err := run.Result()
			plantest.WantCode(t, err, errFirst.Code)
			rec.Want(t, want...)
		})
	}
	t.Run("K5 a do that fails is not undone", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, flow.Saga(flow.Then(rec.undoable("a"), flow.Undo(failAfter(oneSecond, errFirst), rec.passing("never")))), 1)
		plantest.WantCode(t, err, errFirst.Code)
		rec.Want(t, "do a", "undo a 2")
	})
	t.Run("K5 a limit", func(t *testing.T) {
		var rec recorder
		p := flow.Timeout(oneSecond*5/2, flow.Saga(flow.Then(flow.Then(rec.undoable("a"), rec.undoable("b")), rec.waitingInt("hook"))))
		_, err := plantest.Run(t, rec.recordError("outside", p), 1)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "do a", "do b", "hook", "undo b 3", "undo a 2", "outside: Timeout")
	})
	t.Run("K5 a cancel, also of a do", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, flow.Saga(flow.Then(flow.Then(rec.undoable("a"), rec.undoable("b")), rec.undoable("c"))), 1)
		loop.Advance(oneSecond * 3 / 2)
		run.Cancel(nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
		rec.Want(t, "do a", "do b", "undo b 3", "undo a 2")
	})
	t.Run("K5 a break", func(t *testing.T) {
		var rec recorder
		body := flow.Saga(flow.Then(flow.Then(step.Map(func(i loopx.Iteration[int]) int { return i.Carry }), rec.undoable("a")),
			step.New(func(step.Scope, int) step.Next[int] { return loopx.Break[int]() })))
		plantest.WantResult(t, loopx.Repeat(3, body), 1, 1)
		rec.Want(t, "do a", "undo a 2")
	})
	t.Run("K5 an error that is recovered inside undoes nothing", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Saga(rec.recoverWith("inside", 7, flow.Then(rec.undoable("a"), step.Func(fail)))), 1, 7)
		rec.Want(t, "do a", "inside: First")
	})
	t.Run("K5 an undo that fails, or panics, doesn't keep the others from theirs", func(t *testing.T) {
		var rec recorder
		bad := flow.Undo(plantest.Add(1), step.Func(func(step.Scope, int) (int, error) { return 0, errSecond }))
		mad := flow.Undo(plantest.Add(1), step.Map(func(int) int { panic("a bug") }))
		_, err := plantest.Run(t, flow.Saga(flow.Then(flow.Then(rec.undoable("a"), bad), flow.Then(flow.Then(mad, rec.undoable("d")), step.Func(fail)))), 1)
		e := plantest.WantCode(t, err, errFirst.Code)
		if len(e.Secondary) != 2 || fault.CodeOf(e.Secondary[0]) != fault.InternalError || !errors.Is(e.Secondary[1], errSecond) {
			t.Errorf("secondary %v", e.Secondary)
		}
		rec.Want(t, "do a", "do d", "undo d 5", "undo a 2")
	})
	t.Run("K5 branches, in the order in which they were done", func(t *testing.T) {
		var rec recorder
		slow := flow.Then(step.Delay[int](oneSecond), rec.undoable("slow"))
		_, err := plantest.Run(t, flow.Saga(flow.Then(sum[int](flow.Par(slow, rec.undoable("quick"))), step.Func(fail))), 1)
		plantest.WantCode(t, err, errFirst.Code)
		rec.Want(t, "do quick", "do slow", "undo slow 2", "undo quick 2")
	})
	t.Run("K5 a saga in a saga that fails later", func(t *testing.T) {
		var rec recorder
		inner := flow.Saga(flow.Then(rec.undoable("b"), rec.undoable("c")))
		_, err := plantest.Run(t, flow.Saga(flow.Then(flow.Then(rec.undoable("a"), inner), flow.Then(rec.undoable("d"), step.Func(fail)))), 1)
		plantest.WantCode(t, err, errFirst.Code)
		rec.Want(t, "do a", "do b", "do c", "do d", "undo d 5", "undo c 4", "undo b 3", "undo a 2")
	})
	t.Run("K5 a saga in a saga that fails itself", func(t *testing.T) {
		var rec recorder
		inner := flow.Catch(flow.Saga(flow.Then(rec.undoable("b"), step.Func(fail))), func(step.Scope, error) step.Next[int] { return step.Succeed(20) })
		plantest.WantResult(t, flow.Saga(flow.Then(rec.undoable("a"), inner)), 1, 20)
		rec.Want(t, "do a", "do b", "undo b 3")
	})
	t.Run("K5 the loser of a race", func(t *testing.T) {
		var rec recorder
		lost := flow.Saga(flow.Then(rec.undoable("lost"), step.Delay[int](9*oneSecond)))
		won := flow.Saga(flow.Then(rec.undoable("won"), step.Delay[int](oneSecond)))
		plantest.WantResult(t, flow.Saga(flow.First(lost, won)), 1, 2)
		rec.Want(t, "do lost", "do won", "undo lost 2")
	})
	t.Run("K5 an undo that has a saga of its own, and one that has none", func(t *testing.T) {
		var rec recorder
		p := flow.Undo(plantest.Add(1), flow.Then(flow.Saga(flow.Then(rec.undoable("inside"), rec.undoable("and"))), rec.passing("undo outside")))
		q := flow.Undo(plantest.Add(1), rec.undoable("none"))
		_, err := plantest.Run(t, flow.Grace(9*oneSecond, flow.Saga(flow.Then(flow.Then(q, p), step.Func(fail)))), 1)
		if e := plantest.WantCode(t, err, errFirst.Code); len(e.Secondary) != 1 || fault.CodeOf(e.Secondary[0]) != fault.InternalError {
			t.Errorf("secondary %v", e.Secondary)
		}
		rec.Want(t, "do inside", "do and", "undo outside")
	})
	t.Run("K5 without a saga", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, rec.undoable("a"), 1)
		plantest.WantCode(t, err, fault.InternalError)
		rec.Want(t)
	})
	t.Run("K5 again in the same memory", func(t *testing.T) {
		var rec recorder
		p := flow.Then(flow.Saga(rec.undoable("a")), flow.Catch(flow.Saga(flow.Then(rec.undoable("b"), step.Func(fail))), func(step.Scope, error) step.Next[int] { return step.Succeed(1) }))
		loop := tooltest.New()
		for range 2 {
			run := flow.Start(t.Context(), loop, flow.Then(p, sum[int](flow.Par(plantest.Add(0)))), 1)
			loop.Run()
			if v, err := plantest.Result(t, run); v != 1 || err != nil {
				t.Errorf("got %v, %v", v, err)
			}
		}
		rec.Want(t, "do a", "do b", "undo b 3", "do a", "do b", "undo b 3")
	})
}

// K3, K5: what is acquired is released once, and what is done is undone once unless the whole saga has succeeded, at
// whatever point a cancel or a shutdown comes, or a sibling fails.
func TestK3EveryPoint(t *testing.T) {
	pass := step.Map(func(n int) int { return n })
	type tally struct{ acquired, released, done, undone, committed int }
	plan := func(c *tally) flow.Plan[int, int] {
		count := func(n *int) step.Step[int, int] { return step.Map(func(in int) int { *n++; return in }) }
		inner := flow.Bracket(flow.Then(pass, count(&c.acquired)), flow.Then(pass, flow.Named("group", flow.Then(pass, pass))),
			flow.Then(flow.Then(step.Map(func(e flow.Ended[int, int]) int { return e.Resource }), pass), count(&c.released)))
		effect := flow.Undo(flow.Then(pass, count(&c.done)), flow.Then(pass, count(&c.undone)))
		return flow.Then(flow.Saga(flow.Then(effect, flow.Then(flow.Shield(inner), flow.Then(effect, sum[int](flow.Par(inner, effect)))))), count(&c.committed))
	}
	for name, disturb := range map[string]func(*tooltest.Loop, *flow.Running[int], func()){
		"cancel":  func(_ *tooltest.Loop, r *flow.Running[int], _ func()) { r.Cancel(nil) },
		"sibling": func(_ *tooltest.Loop, _ *flow.Running[int], fail func()) { fail() },
		"shutdown": func(l *tooltest.Loop, _ *flow.Running[int], _ func()) {
			l.Host().Stop(tool.ErrShutdown)
		},
	} {
		t.Run("K3 "+name, func(t *testing.T) {
			over := false
			ways := map[string]bool{}
			for at := 0; !over; at++ {
				var c tally
				loop := tooltest.New(tooltest.WithChooser(func(int) int { return 0 })) // a turn has one step
				var stop func()
				sibling := step.New(func(as step.Scope, _ int) step.Next[int] {
					return step.Wait(as, func(done step.Done[int]) { stop = func() { done.Fail(errSecond) } })
				})
				p := plan(&c)
				run := flow.Start(context.Background(), loop, flow.Timeout(oneSecond, sum[int](flow.Par(sibling, p))), 1)
				loop.RunUntil(func() bool { return stop != nil })
				for range at {
					if over = !loop.Step() || loop.Now() > 0; over { // the run has ended, or its limit has passed
						break
					}
				}
				if !over {
					disturb(loop, run, stop)
				}
				loop.Run()
				_, err := plantest.Result(t, run)
				whole := c.done == 3 && c.released == 2 // the saga may have succeeded before the run was disturbed
				if err == nil || c.acquired != c.released || c.undone != c.done && (c.undone > 0 || !whole) || c.committed == 1 && c.undone > 0 {
					t.Fatalf("at %d: %+v, %v", at, c, err)
				}
				if e, ok := errors.AsType[*fault.Error](err); !ok || len(e.Secondary) > 0 {
					t.Fatalf("at %d: %v", at, err)
				}
				ways[fmt.Sprint(c)] = true
			}
			t.Log(len(ways), "ways")
			if len(ways) < 5 {
				t.Errorf("only %v", ways)
			}
		})
	}
}
