package flow_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestK1Shield(t *testing.T) {
	work := func(rec *recorder) step.Step[int, int] {
		return flow.Then(rec.passing("begins"), flow.Then(step.Delay[int](oneSecond), flow.Then(rec.passing("ends"), plantest.Add(1))))
	}
	t.Run("K1 a value", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Then(flow.Shield(work(&rec)), rec.passing("next")), 1, 2)
		rec.Want(t, "begins", "ends", "next")
	})
	t.Run("K1 an error", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Shield(failAfter(oneSecond, errFirst)), 1)
		if e := plantest.WantCode(t, err, errFirst.Code); e.Path != "0/shield.0/1" {
			t.Errorf("path %q", e.Path)
		}
	})
	t.Run("K1 a cancel waits, and acts right after it", func(t *testing.T) {
		var rec recorder
		p := flow.OnCancel(flow.Then(flow.Shield(work(&rec)), rec.passing("next")), func(step.Scope) { rec.Recordf("hook") })
		loop, run := plantest.Start(t, p, 1)
		loop.Advance(oneSecond / 2)
		run.Cancel(errFirst)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
		rec.Want(t, "begins", "ends", "hook")
		if loop.Now() != oneSecond {
			t.Errorf("ended at %v", loop.Now())
		}
	})
	t.Run("K1 a limit waits", func(t *testing.T) {
		var rec recorder
		_, err := plantest.Run(t, rec.recordError("outside", flow.Timeout(oneSecond/2, flow.Shield(rec.recordError("inside", work(&rec))))), 1)
		plantest.WantCode(t, err, fault.Timeout)
		rec.Want(t, "begins", "ends", "outside: Timeout")
	})
	t.Run("K1 when the grace is over, what is inside can't be completed, and its context ends", func(t *testing.T) {
		var other step.Done[int]
		var ctx context.Context
		completed, ended := true, error(nil)
		waits := step.New(func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) { other = done })
		})
		hooked := step.New(func(as step.Scope, _ int) step.Next[int] {
			as.SetCancel(func() { completed, ended = other.Succeed(1), ctx.Err() })
			return step.Wait[int](as, nil)
		})
		inside := step.New(func(as step.Scope, in int) step.Next[[]int] {
			ctx = as.Context()
			return step.Into(as, flow.Par(hooked, waits), in)
		})
		loop := tooltest.New() // not one of plantest, because the end of the grace is reported to it
		run := flow.Start(t.Context(), loop, flow.Timeout(oneSecond, flow.Grace(oneSecond, flow.Shield(inside))), 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Timeout)
		if completed || ended == nil {
			t.Errorf("completed: %t, error of the context: %v", completed, ended)
		}
	})
	t.Run("K1 its error is secondary to what waits", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Timeout(oneSecond/2, flow.Shield(failAfter(oneSecond, errFirst))), 1)
		if e := plantest.WantCode(t, err, fault.Timeout); len(e.Secondary) != 1 || !errors.Is(e.Secondary[0], errFirst) {
			t.Errorf("secondary %v", e.Secondary)
		}
	})
	t.Run("K1 siblings, and branches inside", func(t *testing.T) {
		var rec recorder
		inner := func(name string) step.Step[int, int] {
			return sum[int](flow.Par(flow.Shield(work(&rec)), flow.OnCancel(step.Delay[int](oneSecond/4*3), func(step.Scope) { rec.Recordf("%s", name) })))
		}
		_, err := plantest.Run(t, sum[int](flow.Par(inner("hook a"), flow.Shield(inner("hook b")), failAfter(oneSecond/2, errFirst))), 1)
		if e := plantest.WantCode(t, err, errFirst.Code); len(e.Secondary) != 0 {
			t.Errorf("secondary %v", e.Secondary)
		}
		rec.Want(t, "begins", "begins", "hook a", "ends", "ends")
	})
	t.Run("K1 a break out of it", func(t *testing.T) {
		body := flow.Shield(step.New(func(step.Scope, loopx.Iteration[int]) step.Next[int] { return loopx.Break[int]() }))
		plantest.WantResult(t, loopx.Repeat(3, body), 1, 1)
	})
	t.Run("K1 in one flow with what is around it", func(t *testing.T) {
		m := syncx.NewMutex(1, 0)
		plantest.WantResult(t, syncx.Sync(m, flow.Shield(syncx.Sync(m, sum[int](flow.Par(plantest.Add(1), plantest.Add(2)))))), 1, 5)
	})
}

// K1: if nothing fails that its error could be secondary to, a panic is reported, and another error is dropped.
func TestK1ErrorsNobodyGets(t *testing.T) {
	breaks := flow.Then(step.Delay[int](oneSecond), step.New(func(step.Scope, int) step.Next[int] { return loopx.Break[int]() }))
	for way, around := range map[string]func(step.Step[int, int]) step.Step[int, int]{
		"race":  func(s step.Step[int, int]) step.Step[int, int] { return flow.First(s, later(oneSecond, 1)) },
		"break": func(s step.Step[int, int]) step.Step[int, int] { return loopx.Loop(sum[int](flow.Par(s, breaks))) },
		"race in a shield": func(s step.Step[int, int]) step.Step[int, int] {
			return flow.Shield(flow.First(flow.Then(s, plantest.Add(1)), later(oneSecond, 1)))
		},
		"shield in a shield": func(s step.Step[int, int]) step.Step[int, int] {
			return flow.First(flow.Shield(s), later(oneSecond, 1))
		},
	} {
		for name, c := range map[string]struct {
			how  func() error
			told string
		}{
			"error":  {func() error { return errFirst }, ""},
			"panic":  {func() error { panic("oops") }, "oops"},
			"Goexit": {func() error { runtime.Goexit(); return nil }, "Goexit"},
		} {
			t.Run(way+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := flow.Shield(step.Await(func(_ context.Context, in int) (int, error) {
						time.Sleep(2 * oneSecond)
						return in, c.how()
					}))
					_, told, err := starts["Start"](t, flow.Grace(-1, around(s)))
					if err != nil {
						t.Errorf("ended with %v", err)
					}
					if len(told) != min(1, len(c.told)) || len(told) == 1 && !strings.Contains(told[0].Error(), c.told) {
						t.Errorf("reported: %v", told)
					}
				})
			})
		}
	}
}

// K2: an error of a release that has begun after a success of use is reported if nothing else is on its way.
func TestK2ErrorOfAReleaseThatIsOvertaken(t *testing.T) {
	breaks := flow.Then(step.Delay[int](oneSecond), step.New(func(step.Scope, int) step.Next[int] { return loopx.Break[int]() }))
	release := flow.Then(step.Map(func(flow.Ended[int, int]) int { return 0 }), flow.Then(step.Delay[int](2*oneSecond),
		step.Func(func(step.Scope, int) (int, error) { return 0, errFirst })))
	s := flow.Bracket(plantest.Add(1), plantest.Add(1), release)
	for way, plan := range map[string]step.Step[int, int]{
		"race":  flow.First(s, later(oneSecond, 1)),
		"break": loopx.Loop(sum[int](flow.Par(s, breaks))),
	} {
		synctest.Test(t, func(t *testing.T) {
			_, told, err := starts["Start"](t, flow.Grace(-1, plan))
			if err != nil || len(told) != 1 || fault.CodeOf(told[0]) != errFirst.Code {
				t.Errorf("%s: ended with %v, and reported %v", way, err, told)
			}
		})
	}
}

// K1: steps inside of a Shield go on if one of them cancels the run.
func TestK1CancelFromInside(t *testing.T) {
	var rec recorder
	var run *flow.Running[int]
	cancels := step.Func(func(_ step.Scope, in int) (int, error) {
		run.Cancel(errFirst)
		return in, nil
	})
	loop := tooltest.New()
	run = flow.Start(t.Context(), loop, flow.Then(flow.Shield(flow.Then(cancels, rec.passing("goes on"))), rec.passing("next")), 1)
	loop.Run()
	_, err := plantest.Result(t, run)
	plantest.WantCode(t, err, fault.Cancelled)
	rec.Want(t, "goes on")
	if errs := loop.Errors(); loop.Now() != 0 || len(errs) > 0 {
		t.Errorf("ended after %v, reported %v", loop.Now(), errs)
	}
}

// K1: a branch whose Shield ends while the branch before it still waits for its own Shield executes no further step.
func TestK1BranchThatWaitsForItsTurn(t *testing.T) {
	var rec recorder
	long := flow.Then(flow.Shield(step.Delay[int](oneSecond)), rec.passing("after the long one"))
	short := flow.Then(flow.Shield(step.Delay[int](oneSecond/4)), rec.passing("after the short one"))
	loop, run := plantest.Start(t, flow.Par(long, short), 1)
	loop.Advance(oneSecond / 8)
	run.Cancel(errFirst)
	loop.Run()
	_, err := plantest.Result(t, run)
	plantest.WantCode(t, err, fault.Cancelled)
	rec.Want(t)
}

// K4: a Shield ends within its grace, while another branch still waits for its own Shield. It is no error that the
// grace passes after that.
func TestK4GraceOfAShieldThatHasEnded(t *testing.T) {
	loop, run := plantest.Start(t, flow.Par(
		flow.Grace(-1, flow.Shield(step.Delay[int](5*oneSecond))),
		flow.Timeout(oneSecond, flow.Grace(2*oneSecond, flow.Shield(step.Delay[int](5*oneSecond/2)))),
	), 1)
	loop.Advance(2 * oneSecond)
	run.Cancel(errFirst)
	loop.Run()
	_, err := plantest.Result(t, run)
	plantest.WantCode(t, err, fault.Cancelled)
	if loop.Now() != 5*oneSecond {
		t.Errorf("ended at %v", loop.Now())
	}
	if errs := loop.Errors(); len(errs) > 0 {
		t.Errorf("reported %v", errs)
	}
}

func TestK1ContextOfAShield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), key{}, 7), time.Hour)
		loop := tooltest.New()
		var inside context.Context
		run := flow.Start(ctx, loop, flow.Timeout(time.Minute, flow.Shield(step.New(func(as step.Scope, in int) step.Next[int] {
			inside = as.Context()
			return step.Into(as, step.Delay[int](oneSecond), in)
		}))), 1)
		loop.RunUntil(func() bool { return inside != nil })
		if _, limited := inside.Deadline(); limited || inside.Value(key{}) != 7 {
			t.Errorf("deadline %v, value %v", limited, inside.Value(key{}))
		}
		cancel()
		synctest.Wait()
		loop.Advance(oneSecond / 2)
		if inside.Err() != nil {
			t.Error("the context inside has ended with that of the run")
		}
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
		if inside.Err() == nil {
			t.Error("the context has not ended with its step")
		}
	})
}

func TestK4GraceOfAPlan(t *testing.T) {
	for name, c := range map[string]struct {
		p    func(step.Step[int, int]) flow.Plan[int, int]
		want time.Duration
	}{
		"the nearest counts": {func(s step.Step[int, int]) flow.Plan[int, int] {
			return flow.Grace(9*oneSecond, flow.Grace(5*oneSecond, s))
		}, 6 * oneSecond},
		"around a branch":     {func(s step.Step[int, int]) flow.Plan[int, int] { return flow.Grace(5*oneSecond, sum[int](flow.Par(s))) }, 6 * oneSecond},
		"with a handler":      {func(s step.Step[int, int]) flow.Plan[int, int] { return flow.Catch(flow.Grace(5*oneSecond, s), nobody) }, 6 * oneSecond},
		"it ends before":      {func(s step.Step[int, int]) flow.Plan[int, int] { return flow.Grace(50*oneSecond, s) }, 11 * oneSecond},
		"below zero no limit": {func(s step.Step[int, int]) flow.Plan[int, int] { return flow.Grace(-1, s) }, 11 * oneSecond},
	} {
		t.Run(name, func(t *testing.T) {
			loop := tooltest.New()
			run := flow.Start(t.Context(), loop, c.p(flow.Shield(flow.Then(step.Delay[int](11*oneSecond), plantest.Add(1)))), 1)
			loop.Advance(oneSecond)
			run.Cancel(nil)
			loop.Run()
			if _, err := plantest.Result(t, run); loop.Now() != c.want {
				t.Errorf("ended at %v, want %v: %v", loop.Now(), c.want, err)
			}
		})
	}
}

func nobody(step.Scope, error) step.Next[int] { return step.Unwind[int]() }

func TestK4Grace(t *testing.T) {
	for name, p := range map[string]func(*recorder) step.Step[int, int]{
		"Shield": func(rec *recorder) step.Step[int, int] { return flow.Shield(rec.waitingInt("hook")) },
		"acquire": func(rec *recorder) step.Step[int, int] {
			return flow.Bracket(rec.waitingInt("hook"), plantest.Add(1), rec.release("never"))
		},
		"release": func(rec *recorder) step.Step[int, int] {
			return flow.Bracket(plantest.Add(1), step.Delay[int](9*oneSecond), flow.Then(step.Map(func(flow.Ended[int, int]) int { return 0 }), rec.waitingInt("hook")))
		},
		"do": func(rec *recorder) step.Step[int, int] {
			return flow.Saga(flow.Undo(rec.waitingInt("hook"), rec.passing("never")))
		},
		"undo": func(rec *recorder) step.Step[int, int] {
			return flow.Saga(flow.Then(flow.Undo(plantest.Add(1), rec.waitingInt("hook")), step.Delay[int](9*oneSecond)))
		},
	} {
		t.Run("K4 "+name, func(t *testing.T) {
			var rec recorder
			loop := tooltest.New()
			run := flow.Start(t.Context(), loop, p(&rec), 1)
			loop.Advance(oneSecond)
			run.Cancel(errFirst)
			loop.Run()
			_, err := plantest.Result(t, run)
			e := plantest.WantCode(t, err, fault.Cancelled)
			if loop.Now() != oneSecond+tool.DefaultGrace {
				t.Errorf("ended at %v", loop.Now())
			}
			if len(e.Secondary) != 1 || fault.CodeOf(e.Secondary[0]) != fault.CutOff {
				t.Errorf("secondary %v", e.Secondary)
			}
			if errs := loop.Errors(); len(errs) != 1 || !errors.Is(errs[0], e.Secondary[0]) {
				t.Errorf("reported %v", errs)
			}
			rec.Want(t, "hook")
		})
	}
}
