package flow_test

import (
	"context"
	"errors"
	"runtime/debug"
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

func TestO1(t *testing.T) {
	t.Run("O1 no body runs before Start returns", func(t *testing.T) {
		var rec recorder
		l := tooltest.New()
		flow.Start(t.Context(), l, rec.step("body"), none{})
		rec.Want(t)
		l.Run()
		rec.Want(t, "body")
	})
	t.Run("O1 nor when a step starts another run on its own loop", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, step.Func(func(as step.Scope, _ none) (none, error) {
			flow.Start(as.Context(), as.Loop(), rec.step("inner"), none{})
			rec.Recordf("started")
			return none{}, nil
		}), none{}, none{})
		if len(rec.Lines) == 0 || rec.Lines[0] != "started" {
			t.Errorf("got %q", rec.Lines)
		}
	})
	t.Run("O1 Run drives on the caller's goroutine", func(t *testing.T) {
		goroutine := func() string {
			id, _, _ := strings.Cut(string(debug.Stack()), " [")
			return id
		}
		var got [3]string
		wait := step.New(func(as step.Scope, _ none) step.Next[none] {
			got[0] = goroutine()
			return step.Wait(as, func(done step.Done[none]) {
				as.Loop().Immediate(func() { got[1] = goroutine(); done.Succeed(none{}) })
			})
		})
		_, err := flow.Run(t.Context(), flow.Then(wait, step.Map(func(none) none { got[2] = goroutine(); return none{} })), none{})
		if err != nil {
			t.Fatal(err)
		}
		if here := goroutine(); got != [3]string{here, here, here} {
			t.Errorf("ran on %q, called on %q", got, here)
		}
	})
}

func TestO2(t *testing.T) {
	t.Run("O2 sub-steps end before the next step of the level", func(t *testing.T) {
		var rec recorder
		leaf := func(name string) step.Step[none, none] {
			return step.New(func(as step.Scope, _ none) step.Next[none] {
				rec.Recordf("%s begins", name)
				return step.Wait(as, func(done step.Done[none]) {
					as.Loop().Deferred(time.Second, func() { rec.Recordf("%s ends", name); done.Succeed(none{}) })
				})
			})
		}
		subs := flow.Chain(leaf("a"), leaf("b"))
		plantest.WantResult(t, flow.Chain(
			step.New(func(as step.Scope, _ none) step.Next[none] { return step.Into(as, subs, none{}) }),
			rec.step("next"),
		), none{}, none{})
		rec.Want(t, "a begins", "a ends", "b begins", "b ends", "next")
	})
	t.Run("O2 the result is the last sub-step's", func(t *testing.T) {
		inc := step.Map(func(i int) int { return i + 1 })
		subs := flow.Chain(inc, inc, inc)
		plantest.WantResult(t, flow.Then(
			step.New(func(as step.Scope, i int) step.Next[int] { return step.Into(as, subs, 10*i) }),
			inc,
		), 1, 14)
	})
	t.Run("O2 the result is the step's own otherwise", func(t *testing.T) {
		plantest.WantResult(t, step.New(func(step.Scope, int) step.Next[int] { return step.Succeed(7) }), 1, 7)
	})
	t.Run("O2 sub-steps of no step pass their input", func(t *testing.T) {
		plantest.WantResult(t, step.New(func(as step.Scope, i int) step.Next[int] { return step.Into(as, flow.Chain[int](), i) }), 5, 5)
	})
}

func TestO3(t *testing.T) {
	type next = step.Next[int]
	minute := time.Minute
	for _, c := range []struct {
		name string
		body func(as step.Scope, in int) next
		want int
		code fault.Code
		at   time.Duration
	}{
		{"O3 the zero Next alone succeeds", func(step.Scope, int) next { return next{} }, 0, "", 0},
		{"O3 with a timeout it waits", func(as step.Scope, _ int) next { as.SetTimeout(minute); return next{} }, 0, fault.Timeout, minute},
		{"O3 with a hook it waits", func(as step.Scope, _ int) next { as.SetCancel(func() {}); return next{} }, 0, fault.Timeout, time.Hour},
		{"O3 with both it waits", func(as step.Scope, _ int) next {
			as.SetCancel(func() {})
			as.SetTimeout(minute)
			return next{}
		}, 0, fault.Timeout, minute},
		{"O3 a context is no reason to wait", func(as step.Scope, _ int) next { as.Context(); return next{} }, 0, "", 0},
		{"O3 nor is a stack", func(as step.Scope, _ int) next { step.Stack[int](as); return next{} }, 0, "", 0},
		{"O3 an explicit success counts whatever is set", func(as step.Scope, in int) next {
			as.SetTimeout(minute)
			as.SetCancel(func() {})
			return step.Succeed(in)
		}, 3, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := tooltest.New()
			r := flow.Start(t.Context(), l, flow.Timeout(time.Hour, step.New(c.body)), 3)
			l.Run()
			got, err := r.Result()
			if got != c.want || fault.CodeOf(err) != c.code || l.Now() != c.at {
				t.Errorf("got %d, %v at %v; want %d, code %q at %v", got, err, l.Now(), c.want, c.code, c.at)
			}
		})
	}
	t.Run("O3 what Func returns is the success, timeout and hook or not", func(t *testing.T) {
		var rec recorder
		l := tooltest.New()
		r := flow.Start(t.Context(), l, flow.Then(
			step.Func(func(as step.Scope, in int) (int, error) {
				as.SetTimeout(time.Second) //stepvet:ignore what the test is about
				as.SetCancel(func() { rec.Recordf("hook") })
				return in, nil
			}),
			step.New(func(as step.Scope, in int) next {
				return step.Wait(as, func(done step.Done[int]) {
					as.Loop().Deferred(minute, func() { done.Succeed(in) })
				})
			}),
		), 3)
		l.Run()
		if got, err := r.Result(); got != 3 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
		rec.Want(t)
	})
}

// manualClock is a tooltest.Loop with a host of the test's, for another clock or other turns.
type manualClock struct {
	*tooltest.Loop
	host *tool.Host
}

func (p manualClock) Host() *tool.Host { return p.host }

func TestO4(t *testing.T) {
	// streak returns how many steps one of two runs has taken in a row at most.
	streak := func(t *testing.T, l tool.Tool, run func() int, each func()) int {
		var longest, now, last int
		count := func(id int) step.Step[none, none] {
			one := step.Map(func(none) none {
				if id != last {
					last, now = id, 0
				}
				now++
				longest = max(longest, now)
				each()
				return none{}
			})
			all := make([]step.Step[none, none], 250)
			for i := range all {
				all[i] = one
			}
			return flow.Chain(all...)
		}
		first := flow.Start(t.Context(), l, count(1), none{})
		second := flow.Start(t.Context(), l, count(2), none{})
		run()
		for _, r := range []*flow.Running[none]{first, second} {
			if _, err := r.Result(); err != nil {
				t.Error(err)
			}
		}
		return longest
	}
	t.Run("O4 a run yields after 100 steps", func(t *testing.T) {
		l := tooltest.New()
		if got := streak(t, l, l.Run, func() {}); got != 100 {
			t.Errorf("a run took %d steps in a row, want 100", got)
		}
	})
	t.Run("O4 or after a millisecond", func(t *testing.T) {
		var now time.Duration
		l := manualClock{tooltest.New(), tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return now }))}
		got := streak(t, l, l.Run, func() { now += 500 * time.Microsecond })
		if got >= 100 || got < 3 {
			t.Errorf("a run took %d steps of 0.5 ms in a row", got)
		}
	})
	t.Run("O4 long steps use up the share by themselves", func(t *testing.T) {
		var now time.Duration
		l := manualClock{tooltest.New(), tool.NewHost(tool.TurnLimits{}, tool.WithClock(func() time.Duration { return now }))}
		if got := streak(t, l, l.Run, func() { now += 50 * time.Millisecond }); got > 3 {
			t.Errorf("a run took %d steps of 50 ms in a row", got)
		}
	})
}

func TestO5(t *testing.T) {
	for _, c := range []struct {
		name     string
		complete func(step.Done[none]) bool
		want     []string
	}{
		{"O5 success from outside queues the continuation", func(d step.Done[none]) bool { return d.Succeed(none{}) }, []string{"next"}},
		{"O5 so does failure, with its hook and handler", func(d step.Done[none]) bool { return d.Fail(errors.New("bad")) }, []string{"hook", "handler", "next"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var rec recorder
			var done step.Done[none]
			onLoop := true
			var l tool.Tool
			say := func(line string) {
				rec.Recordf("%s", line)
				onLoop = onLoop && l.InLoop()
			}
			p := flow.Then(
				flow.Catch(
					step.New(func(as step.Scope, _ none) step.Next[none] {
						as.SetCancel(func() { say("hook") })
						return step.Wait(as, func(d step.Done[none]) { done = d })
					}),
					func(step.Scope, error) step.Next[none] { say("handler"); return step.Succeed(none{}) }),
				step.Map(func(none) none { say("next"); return none{} }))

			virtual := tooltest.New()
			l = virtual
			flow.Start(t.Context(), l, p, none{})
			virtual.Run()
			if !c.complete(done) {
				t.Error("the completion wasn't taken")
			}
			rec.Want(t)
			virtual.Run()
			rec.Want(t, c.want...)

			// the same from another goroutine, on a loop of real time
			rec = recorder{}
			live := tool.Start(tool.Options{})
			defer live.Shutdown(context.Background())
			l = live
			ready := make(chan none)
			r := flow.Start(t.Context(), l, flow.Then(p, step.Map(func(none) none { return none{} })), none{})
			live.Immediate(func() { live.Immediate(func() { close(ready) }) })
			<-ready
			c.complete(done)
			if _, err := r.Wait(t.Context()); err != nil {
				t.Error(err)
			}
			rec.Want(t, c.want...)
			if !onLoop {
				t.Error("something ran outside the loop")
			}
		})
	}
	t.Run("O5 completion inside begin goes on after the body", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, flow.Then(
			step.New(func(as step.Scope, _ none) step.Next[none] {
				return step.Wait(as, func(done step.Done[none]) {
					done.Succeed(none{})
					rec.Recordf("begin returns")
				})
			}),
			rec.step("next")), none{}, none{})
		rec.Want(t, "begin returns", "next")
	})
}

func TestO6(t *testing.T) {
	for _, c := range []struct {
		name   string
		s      step.Step[int, int]
		cancel bool
		want   int
		code   fault.Code
	}{
		{"O6 a run ends with a value", step.Map(func(i int) int { return i }), false, 5, ""},
		{"O6 or with an error", step.Func(func(step.Scope, int) (int, error) { return 1, errors.New("bad") }), false, 0, fault.InternalError},
		{"O6 or cancelled", step.New(func(as step.Scope, _ int) step.Next[int] { return step.Wait[int](as, nil) }), true, 0, fault.Cancelled},
	} {
		t.Run(c.name, func(t *testing.T) {
			starts := 0
			counted := flow.Then(step.Map(func(i int) int { starts++; return i }), c.s)
			calls := map[string]int{}
			observe := func(who string) func(int, error) {
				return func(v int, err error) {
					calls[who]++
					if v != c.want || fault.CodeOf(err) != c.code {
						t.Errorf("%s saw %d, %v", who, v, err)
					}
				}
			}
			l := tooltest.New()
			r := flow.Start(t.Context(), l, counted, 5)
			r.Then(observe("before"))
			select {
			case <-r.Done():
				t.Error("done before it ran")
			default:
			}
			if _, err := r.Result(); !errors.Is(err, flow.ErrRunning) {
				t.Errorf("Result before the end: %v", err)
			}
			l.Run()
			if c.cancel {
				r.Cancel(nil)
				r.Cancel(errors.New("again"))
				l.Run()
			}
			<-r.Done()
			r.Then(observe("after"))
			observe("result")(r.Result())
			observe("wait")(r.Wait(t.Context()))
			if r.Cancel(nil) {
				t.Error("an ended run was cancelled")
			}
			l.Run()
			observe("still")(r.Result())
			for _, who := range []string{"before", "after"} {
				if calls[who] != 1 {
					t.Errorf("observer %s was called %d times", who, calls[who])
				}
			}
			if starts != 1 {
				t.Errorf("started %d times", starts)
			}
		})
	}
}
