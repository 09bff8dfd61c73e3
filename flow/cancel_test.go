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
		var b book
		inner := func(name string) step.Step[int, int] {
			return b.hears(name, flow.OnCancel(b.hears(name, step.New(func(as step.Scope, in int) step.Next[int] {
				step.StackCleanup(as, func(*int) { b.say("%s first cleanup", name) })
				step.StackCleanup(as, func(*int) { b.say("%s second cleanup", name) })
				as.SetTimeout(time.Hour)
				return step.Into(as, b.stalls(name+" leaf"), in)
			})), func(step.Scope) { b.say("%s", name) }))
		}
		p := b.hears("root", flow.OnCancel(sum(flow.Par(inner("one"), inner("two"))), func(step.Scope) { b.say("root") }))
		loop, run := plantest.Start(t, p, 1)
		loop.Advance(time.Minute)
		b.is(t)
		if !run.Cancel(errFirst) {
			t.Error("Cancel reported that the run was over")
		}
		b.is(t) // nothing happens inside of Cancel
		loop.Advance(0)
		b.is(t,
			"one leaf", "one second cleanup", "one first cleanup", "one",
			"two leaf", "two second cleanup", "two first cleanup", "two",
			"root")
		_, err := plantest.Result(t, run)
		e := plantest.HasCode(t, err, fault.Cancelled)
		if !errors.Is(e, context.Canceled) || !errors.Is(e, errFirst) {
			t.Errorf("%v should be context.Canceled and the cause", e)
		}
		if loop.Pending() != 0 {
			t.Errorf("%d callbacks are left", loop.Pending())
		}
	})

	t.Run("C1 idempotent, the first cause counts", func(t *testing.T) {
		var b book
		loop, run := plantest.Start(t, b.stalls("hook"), 1)
		loop.Run()
		if !run.Cancel(errFirst) || !run.Cancel(errSecond) {
			t.Error("Cancel reported that the run was over")
		}
		loop.Run()
		b.is(t, "hook")
		if _, err := plantest.Result(t, run); !errors.Is(err, errFirst) || errors.Is(err, errSecond) {
			t.Errorf("got %v", err)
		}
		if run.Cancel(errSecond) {
			t.Error("Cancel reported true after the end")
		}
	})

	t.Run("C1 without a cause", func(t *testing.T) {
		loop, run := plantest.Start(t, takes(time.Second), 1)
		run.Cancel(nil)
		loop.Run()
		_, err := plantest.Result(t, run)
		if e := plantest.HasCode(t, err, fault.Cancelled); e.Info != "" || !errors.Is(e.Cause, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("C1 before the first step nothing runs", func(t *testing.T) {
		var b book
		loop, run := plantest.Start(t, b.says("body"), 1)
		run.Cancel(nil)
		loop.Run()
		b.is(t)
		_, err := plantest.Result(t, run)
		plantest.HasCode(t, err, fault.Cancelled)
	})

	t.Run("C1 from any number of goroutines", func(t *testing.T) {
		bubble(t, func(t *testing.T, loop *tool.Loop, _ *reports) {
			var b book
			run := flow.Start(t.Context(), loop, b.stalls("hook"), 1)
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() { run.Cancel(nil) })
			}
			all.Wait()
			_, err := run.Wait(t.Context())
			plantest.HasCode(t, err, fault.Cancelled)
			if len(b.lines) > 1 {
				t.Errorf("got %q", b.lines)
			}
		})
	})

	t.Run("C2 no hook after success", func(t *testing.T) {
		var b book
		first := step.New(func(as step.Scope, in int) step.Next[int] {
			as.SetCancel(func() { b.say("the hook of a step that succeeded") })
			return step.Into(as, takes(time.Second), in)
		})
		second := step.New(func(as step.Scope, _ int) step.Next[int] {
			step.StackCleanup(as, func(*int) { b.say("the second's cleanup") })
			return step.Wait[int](as, nil)
		})
		loop, run := plantest.Start(t, flow.Then(first, second), 1)
		loop.Run()
		run.Cancel(nil)
		loop.Run()
		b.is(t, "the second's cleanup")
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
		plantest.HasCode(t, err, fault.Cancelled)
	})

	t.Run("C1 a cancel beats a completion that is queued", func(t *testing.T) {
		var done step.Done[int]
		var b book
		loop, run := plantest.Start(t, flow.Then(step.New(func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(d step.Done[int]) { done = d })
		}), b.says("next")), 1)
		loop.Run()
		if !done.Succeed(1) {
			t.Error("not completed")
		}
		run.Cancel(nil)
		loop.Run()
		b.is(t)
		_, err := plantest.Result(t, run)
		plantest.HasCode(t, err, fault.Cancelled)
	})
}

// C1: a body cancels its own run.
func TestCancelFromInside(t *testing.T) {
	var run *flow.Running[int]
	var b book
	stop := func(where string) {
		b.say("%s", where)
		if !run.Cancel(errFirst) {
			t.Errorf("%s: Cancel reported that the run was over", where)
		}
	}
	body := step.New(func(as step.Scope, _ int) step.Next[int] {
		stop("stop")
		as.SetCancel(func() { b.say("hook") })
		return step.Wait[int](as, nil)
	})
	hook := flow.OnCancel(breaks(0, errSecond), func(step.Scope) { stop("stop") })
	handler := flow.Catch(breaks(0, errSecond), func(step.Scope, error) step.Next[int] {
		stop("stop")
		return step.Succeed(1)
	})
	entering := flow.Catch(breaks(0, errSecond), func(as step.Scope, _ error) step.Next[int] {
		stop("stop")
		return step.Into(as, b.says("sub-step of the handler"), 1)
	})
	cleanup := step.Func(func(as step.Scope, _ int) (int, error) {
		step.StackCleanup(as, func(*int) { b.say("next cleanup") })
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
		plantest.HasCode(t, err, fault.Cancelled) // Cancel has returned true, so the run ends as cancelled
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
			b.lines = nil
			loop, r := plantest.Start(t, b.hears("outer handler", flow.Then(c.s, b.says("next step"))), 1)
			run = r
			loop.Run()
			_, err := plantest.Result(t, run)
			if e := plantest.HasCode(t, err, fault.Cancelled); !errors.Is(e, errFirst) {
				t.Errorf("the cause is missing: %v", err)
			}
			b.is(t, c.want...)
		})
	}
}

// C1, C3, C10: whatever a branch was doing, it begins to be cancelled in its turn. It doesn't wait for a branch before it
// whose goroutine hasn't returned, and its handlers aren't called.
func TestC10CancelledBranches(t *testing.T) {
	for _, c := range []struct {
		name   string
		second func(*book) step.Step[int, int]
		want   []string
	}{
		{"a timeout was on its way", func(b *book) step.Step[int, int] {
			return b.mends("handler", 1, flow.Timeout(10*time.Millisecond, lingers(100*time.Millisecond)))
		}, []string{"third", "second", "first"}},
		{"an error was on its way", func(b *book) step.Step[int, int] {
			return b.mends("handler", 1, sum(flow.Par(breaks(10*time.Millisecond, errFirst), lingers(100*time.Millisecond))))
		}, []string{"third", "second", "first"}},
		{"its own timeout was to pass", func(b *book) step.Step[int, int] {
			return b.mends("handler", 1, flow.Timeout(100*time.Millisecond, takes(time.Second)))
		}, []string{"second", "third", "first"}},
		{"its next step was to run", func(b *book) step.Step[int, int] {
			return flow.Then(takes(100*time.Millisecond), b.says("ran"))
		}, []string{"second", "third", "first"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, loop *tool.Loop, reported *reports) {
				var b book
				first := flow.OnCancel(lingers(500*time.Millisecond), func(step.Scope) { b.say("first") })
				second := flow.OnCancel(c.second(&b), func(step.Scope) { b.say("second") })
				third := b.stalls("third")
				run := flow.Start(t.Context(), loop, flow.Par(first, second, third), 1)
				doze(50 * time.Millisecond)
				run.Cancel(nil)
				_, err := run.Wait(t.Context())
				plantest.HasCode(t, err, fault.Cancelled)
				b.is(t, c.want...)
				if errs := reported.all(); len(errs) != 0 {
					t.Errorf("reported: %v", errs)
				}
			})
		})
	}
}

// C2, C5: hooks, limits and cleanups that a handler, hook or cleanup sets for its step don't outlive the step.
func TestNothingIsLeftInstalled(t *testing.T) {
	var b book
	var ctx context.Context
	install := func(as step.Scope) {
		as.SetTimeout(time.Second)
		as.SetCancel(func() { b.say("hook") })
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
			b.lines, ctx = nil, nil
			// The second run uses the memory of the first one.
			p := flow.Then(b.mends("handler", 1, flow.Then(adds(0), c.s)), takes(time.Minute))
			for range 2 {
				loop, run := plantest.Start(t, p, 1)
				loop.Advance(time.Millisecond)
				if ctx.Err() == nil {
					t.Error("the step's context hasn't ended")
				}
				said := len(b.lines)
				loop.Run()
				if v, err := plantest.Result(t, run); v != 1 || err != nil {
					t.Errorf("got %d, %v", v, err)
				}
				if late := b.lines[said:]; len(late) != 0 {
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
	if plantest.HasCode(t, err, fault.Cancelled); !errors.Is(err, errSecond) || !errors.Is(err, errBad) {
		t.Errorf("got %v, want both the cause and the error", err)
	}
}
