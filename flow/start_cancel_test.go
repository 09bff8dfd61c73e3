package flow_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestCancel(t *testing.T) {
	t.Run("C1 leaf to root, branches in order, no handler", func(t *testing.T) {
		var rec recorder
		inner := func(name string) step.Step[int, int] {
			return rec.recordError(name, flow.OnCancel(rec.recordError(name, step.New(func(as step.Scope, in int) step.Next[int] {
				step.StackCleanup(as, func(*int) { rec.Recordf("%s first cleanup", name) })
				step.StackCleanup(as, func(*int) { rec.Recordf("%s second cleanup", name) })
				as.SetTimeout(time.Hour)
				return step.Into(as, rec.waitingInt(name+" leaf"), in)
			})), func(step.Scope) { rec.Recordf("%s", name) }))
		}
		p := rec.recordError("root", flow.OnCancel(sum(flow.Par(inner("one"), inner("two"))), func(step.Scope) { rec.Recordf("root") }))
		loop, run := plantest.Start(t, p, 1)
		loop.Advance(time.Minute)
		rec.Want(t)
		if !run.Cancel(errFirst) {
			t.Error("Cancel reported that the run was over")
		}
		rec.Want(t) // nothing happens inside of Cancel
		loop.Advance(0)
		rec.Want(t,
			"one leaf", "one second cleanup", "one first cleanup", "one",
			"two leaf", "two second cleanup", "two first cleanup", "two",
			"root")
		_, err := plantest.Result(t, run)
		e := plantest.WantCode(t, err, fault.Cancelled)
		if !errors.Is(e, context.Canceled) || !errors.Is(e, errFirst) {
			t.Errorf("%v should be context.Canceled and the cause", e)
		}
		if loop.Pending() != 0 {
			t.Errorf("%d callbacks are left", loop.Pending())
		}
	})

	t.Run("C1 idempotent, the first cause counts", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, rec.waitingInt("hook"), 1)
		loop.Run()
		if !run.Cancel(errFirst) || !run.Cancel(errSecond) {
			t.Error("Cancel reported that the run was over")
		}
		loop.Run()
		rec.Want(t, "hook")
		if _, err := plantest.Result(t, run); !errors.Is(err, errFirst) || errors.Is(err, errSecond) {
			t.Errorf("got %v", err)
		}
		if run.Cancel(errSecond) {
			t.Error("Cancel reported true after the end")
		}
	})

	t.Run("C1 without a cause", func(t *testing.T) {
		loop, run := plantest.Start(t, step.Delay[int](time.Second), 1)
		run.Cancel(nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		if e := plantest.WantCode(t, err, fault.Cancelled); e.Info != "" || !errors.Is(e.Cause, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("C1 before the first step nothing runs", func(t *testing.T) {
		var rec recorder
		loop, run := plantest.Start(t, rec.passing("body"), 1)
		run.Cancel(nil)
		loop.Run()
		rec.Want(t)
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
	})

	t.Run("C1 from any number of goroutines", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *errorLog) {
			var rec recorder
			run := flow.Start(t.Context(), loop, rec.waitingInt("hook"), 1)
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() { run.Cancel(nil) })
			}
			all.Wait()
			_, err := run.Wait(t.Context())
			plantest.WantCode(t, err, fault.Cancelled)
			if len(rec.Lines) > 1 {
				t.Errorf("got %q", rec.Lines)
			}
		})
	})

	t.Run("C2 no hook after success", func(t *testing.T) {
		var rec recorder
		first := step.New(func(as step.Scope, in int) step.Next[int] {
			as.SetCancel(func() { rec.Recordf("the hook of a step that succeeded") })
			return step.Into(as, step.Delay[int](time.Second), in)
		})
		second := step.New(func(as step.Scope, _ int) step.Next[int] {
			step.StackCleanup(as, func(*int) { rec.Recordf("the second's cleanup") })
			return step.Wait[int](as, nil)
		})
		loop, run := plantest.Start(t, flow.Then(first, second), 1)
		loop.Run()
		run.Cancel(nil)
		loop.Run()
		rec.Want(t, "the second's cleanup")
	})

	t.Run("C6 completion after the cancel, on the way and later", func(t *testing.T) {
		var done step.Done[int]
		loop, run := plantest.Start(t, step.New(func(as step.Scope, _ int) step.Next[int] {
			as.SetCancel(func() {
				if done.Valid() || done.Succeed(1) || done.Fail(errFirst) {
					t.Error("completed by its own hook")
				}
			})
			return step.Wait(as, func(d step.Done[int]) { done = d })
		}), 1)
		loop.Run()
		if !done.Valid() {
			t.Error("not valid while the step waits")
		}
		run.Cancel(nil)
		loop.Run()
		if done.Valid() || done.Succeed(1) || done.Fail(errFirst) {
			t.Error("completed after the end")
		}
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
	})

	t.Run("C1 a cancel beats a completion that is queued", func(t *testing.T) {
		var done step.Done[int]
		var rec recorder
		loop, run := plantest.Start(t, flow.Then(step.New(func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(d step.Done[int]) { done = d })
		}), rec.passing("next")), 1)
		loop.Run()
		if !done.Succeed(1) {
			t.Error("not completed")
		}
		run.Cancel(nil)
		loop.Run()
		rec.Want(t)
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled)
	})
}

func TestCancelFromInside(t *testing.T) {
	var run *flow.Running[int]
	var rec recorder
	stop := func(where string) {
		rec.Recordf("%s", where)
		if !run.Cancel(errFirst) {
			t.Errorf("%s: Cancel reported that the run was over", where)
		}
	}
	body := step.New(func(as step.Scope, _ int) step.Next[int] {
		stop("stop")
		as.SetCancel(func() { rec.Recordf("hook") })
		return step.Wait[int](as, nil)
	})
	hook := flow.OnCancel(failAfter(0, errSecond), func(step.Scope) { stop("stop") })
	handler := flow.Catch(failAfter(0, errSecond), func(step.Scope, error) step.Next[int] {
		stop("stop")
		return step.Succeed(1)
	})
	entering := flow.Catch(failAfter(0, errSecond), func(as step.Scope, _ error) step.Next[int] {
		stop("stop")
		return step.Into(as, rec.passing("sub-step of the handler"), 1)
	})
	cleanup := step.Func(func(as step.Scope, _ int) (int, error) {
		step.StackCleanup(as, func(*int) { rec.Recordf("next cleanup") })
		step.StackCleanup(as, func(*int) { stop("stop") })
		return 1, nil
	})
	begun := step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			stop("stop")
			done.Succeed(1)
		})
	})
	t.Run("body of the last step", func(t *testing.T) {
		loop, r := plantest.Start(t, step.Map(func(in int) int { stop("stop"); return in }), 1)
		run = r
		loop.Run()
		_, err := plantest.Result(t, run)
		plantest.WantCode(t, err, fault.Cancelled) // Cancel has returned true, so the run ends as cancelled
	})
	for _, c := range []struct {
		name string
		s    step.Step[int, int]
		want []string
	}{
		{"body", body, []string{"stop", "hook"}},
		{"begin of a wait", begun, []string{"stop"}},
		{"hook", hook, []string{"stop"}},
		{"handler", handler, []string{"stop"}},
		{"handler with sub-steps", entering, []string{"stop"}},
		{"cleanup", cleanup, []string{"stop", "next cleanup"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec.Lines = nil
			loop, r := plantest.Start(t, rec.recordError("outer handler", flow.Then(c.s, rec.passing("next step"))), 1)
			run = r
			loop.Run()
			_, err := plantest.Result(t, run)
			if e := plantest.WantCode(t, err, fault.Cancelled); !errors.Is(e, errFirst) {
				t.Errorf("the cause is missing: %v", err)
			}
			rec.Want(t, c.want...)
		})
	}
}

// C1, C3, C10: whatever a branch was doing, it begins to be cancelled in its turn. It doesn't wait for a branch before it
// whose goroutine hasn't returned, and its handlers aren't called.
func TestC10CancelledBranches(t *testing.T) {
	for _, c := range []struct {
		name   string
		second func(*recorder) step.Step[int, int]
		want   []string
	}{
		{"a timeout was on its way", func(rec *recorder) step.Step[int, int] {
			return rec.recoverWith("handler", 1, flow.Timeout(10*time.Millisecond, stopsAfter(100*time.Millisecond)))
		}, []string{"third", "second", "first"}},
		{"an error was on its way", func(rec *recorder) step.Step[int, int] {
			return rec.recoverWith("handler", 1, sum(flow.Par(failAfter(10*time.Millisecond, errFirst), stopsAfter(100*time.Millisecond))))
		}, []string{"third", "second", "first"}},
		{"its own timeout was to pass", func(rec *recorder) step.Step[int, int] {
			return rec.recoverWith("handler", 1, flow.Timeout(100*time.Millisecond, step.Delay[int](time.Second)))
		}, []string{"second", "third", "first"}},
		{"its next step was to run", func(rec *recorder) step.Step[int, int] {
			return flow.Then(step.Delay[int](100*time.Millisecond), rec.passing("ran"))
		}, []string{"second", "third", "first"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, loop *tool.Loop, reported *errorLog) {
				var rec recorder
				first := flow.OnCancel(stopsAfter(500*time.Millisecond), func(step.Scope) { rec.Recordf("first") })
				second := flow.OnCancel(c.second(&rec), func(step.Scope) { rec.Recordf("second") })
				third := rec.waitingInt("third")
				run := flow.Start(t.Context(), loop, flow.Par(first, second, third), 1)
				virtualSleep(50 * time.Millisecond)
				run.Cancel(nil)
				_, err := run.Wait(t.Context())
				plantest.WantCode(t, err, fault.Cancelled)
				rec.Want(t, c.want...)
				if errs := reported.all(); len(errs) != 0 {
					t.Errorf("reported: %v", errs)
				}
			})
		})
	}
}

// C2, C5: a hook and a limit that a handler, hook or cleanup sets for its step don't outlive the step.
func TestNothingIsLeftInstalled(t *testing.T) {
	var rec recorder
	var ctx context.Context
	install := func(as step.Scope) {
		as.SetTimeout(time.Second)
		as.SetCancel(func() { rec.Recordf("hook") })
		ctx = as.Context()
	}
	for _, c := range []struct {
		name string
		s    step.Step[int, int]
	}{
		{"handler that fails", flow.Catch(step.Func(fail), func(as step.Scope, err error) step.Next[int] {
			install(as)
			return step.Fail[int](err)
		})},
		{"handler that is silent", flow.Catch(step.Func(fail), func(as step.Scope, _ error) step.Next[int] {
			install(as)
			return step.Unwind[int]()
		})},
		{"handler that panics", flow.Catch(step.Func(fail), func(as step.Scope, _ error) step.Next[int] {
			install(as)
			panic("as it was told to")
		})},
		{"hook", flow.OnCancel(step.Func(fail), install)},
		{"cleanup after success", step.Func(func(as step.Scope, in int) (int, error) {
			step.StackCleanup(as, func(*int) { install(as) })
			return in, nil
		})},
		{"cleanup after an error", step.Func(func(as step.Scope, in int) (int, error) {
			step.StackCleanup(as, func(*int) { install(as) })
			return in, errFirst
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec.Lines, ctx = nil, nil
			// The second run may use the memory of the first one.
			p := flow.Then(rec.recoverWith("handler", 1, flow.Then(plantest.Add(0), c.s)), step.Delay[int](time.Minute))
			for range 2 {
				loop, run := plantest.Start(t, p, 1)
				loop.Advance(time.Millisecond)
				if ctx.Err() == nil {
					t.Error("the step's context hasn't ended")
				}
				said := len(rec.Lines)
				loop.Run()
				if v, err := plantest.Result(t, run); v != 1 || err != nil {
					t.Errorf("got %d, %v", v, err)
				}
				if late := rec.Lines[said:]; len(late) != 0 {
					t.Errorf("later: %q", late)
				}
			}
		})
	}
}

func fail(step.Scope, int) (int, error) { return 0, errFirst }

// C1, E4: a cancel during the last cleanup takes effect, and keeps the error that was on its way.
func TestC1CancelInTheLastCleanup(t *testing.T) {
	var r *flow.Running[none]
	l := tooltest.New()
	r = flow.Start(t.Context(), l, step.Func(func(as step.Scope, _ none) (none, error) {
		step.StackCleanup(as, func(*none) {
			if !r.Cancel(errSecond) {
				t.Error("the cancel was refused")
			}
		})
		return none{}, errBad
	}), none{})
	l.Run()
	_, err := r.Result()
	if plantest.WantCode(t, err, fault.Cancelled); !errors.Is(err, errSecond) || !errors.Is(err, errBad) {
		t.Errorf("got %v, want both the cause and the error", err)
	}
}
