package flow_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestE4Panics(t *testing.T) {
	errMine := errors.New("mine")
	for _, c := range []struct {
		name  string
		panic func()
		is    func(p *fault.Panic) bool
	}{
		{"a string", func() { panic("boom") }, func(p *fault.Panic) bool { return p.Value == "boom" }},
		{"an error", func() { panic(errMine) }, func(p *fault.Panic) bool { return errors.Is(p, errMine) }},
		{"nil", func() { panic(nil) }, func(p *fault.Panic) bool { //nolint:govet // on purpose
			_, ok := errors.AsType[*runtime.PanicNilError](p)
			return ok
		}},
		{"a runtime error", func() { clear([]*int(nil)[:1]) }, func(p *fault.Panic) bool {
			_, ok := errors.AsType[runtime.Error](p)
			return ok
		}},
	} {
		check := func(t *testing.T, err error) {
			t.Helper()
			p, ok := errors.AsType[*fault.Panic](err)
			if !ok || !c.is(p) {
				t.Fatalf("the panic's value is lost: %v", err)
			}
			if !strings.Contains(string(p.Stack), "rules_panic_test.go") {
				t.Errorf("the stack doesn't show the panic:\n%s", p.Stack)
			}
		}
		explode := step.Func(func(step.Scope, none) (none, error) { c.panic(); return none{}, nil })
		with := func(install func(as step.Scope), err error) step.Step[none, none] {
			return step.Func(func(as step.Scope, _ none) (none, error) { install(as); return none{}, err })
		}
		t.Run("E4 in a body, "+c.name, func(t *testing.T) {
			_, err := plantest.Run(t, explode, none{})
			e := plantest.WantCode(t, err, fault.InternalError)
			check(t, err)
			if e.Path != "0" || !strings.Contains(e.Info, "step 0") {
				t.Errorf("doesn't name the step: %v", err)
			}
		})
		t.Run("E4 a handler sees it, "+c.name, func(t *testing.T) {
			plantest.WantResult(t, flow.Catch(explode, func(_ step.Scope, err error) step.Next[none] {
				check(t, err)
				return step.Succeed(none{})
			}), none{}, none{})
		})
		t.Run("E4 in a handler it replaces the error, "+c.name, func(t *testing.T) {
			_, err := plantest.Run(t, flow.Catch(with(func(step.Scope) {}, errBad), func(step.Scope, error) step.Next[none] {
				c.panic()
				return step.Succeed(none{})
			}), none{})
			e := plantest.WantCode(t, err, fault.InternalError)
			check(t, err)
			if len(e.Unwind) != 1 || e.Unwind[0].What != fault.Replaced {
				t.Errorf("the trail is %v, want the level to have replaced the error", e.Unwind)
			}
		})
		for _, where := range []string{"hook", "cleanup"} {
			install := func(rec *recorder) func(step.Scope) {
				return func(as step.Scope) {
					step.StackCleanup(as, func(*none) { rec.Recordf("oldest cleanup") })
					if where == "hook" {
						as.SetCancel(func() { rec.Recordf("hook"); c.panic() })
						return
					}
					as.SetCancel(func() { rec.Recordf("hook") })
					step.StackCleanup(as, func(*none) { rec.Recordf("cleanup"); c.panic() })
				}
			}
			trace := []string{"hook", "cleanup", "oldest cleanup", "outer"}
			if where == "hook" {
				trace = []string{"hook", "oldest cleanup", "outer"}
			}
			t.Run("E4 in a "+where+" it doesn't stop the unwinding, "+c.name, func(t *testing.T) {
				var rec recorder
				_, err := plantest.Run(t, flow.Catch(flow.Chain(with(install(&rec), errBad), rec.step("dropped")), func(_ step.Scope, err error) step.Next[none] {
					rec.Recordf("outer")
					return step.Unwind[none]()
				}), none{})
				e := plantest.WantCode(t, err, "Bad") // the panic doesn't replace the error
				check(t, errors.Join(e.Secondary...))
				rec.Want(t, trace...)
			})
			t.Run("E4 in a "+where+" it isn't lost if a handler recovers, "+c.name, func(t *testing.T) {
				var rec recorder
				var seen []error
				l := tooltest.New()
				r := flow.Start(t.Context(), l, flow.Catch(flow.Chain(with(install(&rec), errBad), rec.step("dropped")), func(_ step.Scope, err error) step.Next[none] {
					rec.Recordf("outer")
					seen = append(seen, err)
					return step.Succeed(none{})
				}), none{})
				l.Run()
				if _, err := r.Result(); err != nil {
					t.Errorf("ended with %v", err)
				}
				rec.Want(t, trace...)
				// it may be given to the handler or to the loop's error handler
				check(t, errors.Join(append(seen, l.Errors()...)...))
			})
			t.Run("E4 in a "+where+" on cancel, "+c.name, func(t *testing.T) {
				var rec recorder
				l := tooltest.New()
				var observed error
				r := flow.Start(t.Context(), l, step.New(func(as step.Scope, _ none) step.Next[none] {
					install(&rec)(as)
					return step.Wait[none](as, nil)
				}), none{})
				r.Then(func(_ none, err error) { observed = err })
				l.Run()
				r.Cancel(errMine)
				l.Run()
				_, err := r.Result()
				e := plantest.WantCode(t, err, fault.Cancelled)
				check(t, errors.Join(e.Secondary...))
				if observed != err {
					t.Errorf("the observer was given %v, the result is %v", observed, err)
				}
				rec.Want(t, trace[:len(trace)-1]...)
			})
		}
		t.Run("E4 in a cleanup after success it fails the step, "+c.name, func(t *testing.T) {
			var rec recorder
			_, err := plantest.Run(t, flow.Catch(with(func(as step.Scope) {
				step.StackCleanup(as, func(*none) { rec.Recordf("oldest cleanup") })
				step.StackCleanup(as, func(*none) { rec.Recordf("cleanup"); c.panic() })
				as.SetCancel(func() { rec.Recordf("hook") })
			}, nil), func(_ step.Scope, err error) step.Next[none] {
				rec.Recordf("handler")
				return step.Unwind[none]()
			}), none{})
			plantest.WantCode(t, err, fault.InternalError)
			check(t, err)
			rec.Want(t, "cleanup", "handler", "oldest cleanup")
		})
	}
}

func TestE4PanicKeepsTheError(t *testing.T) {
	t.Run("a handler that panics hasn't answered its error", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Catch(step.Func(func(step.Scope, none) (none, error) { return none{}, errBad }),
			func(step.Scope, error) step.Next[none] { panic("handler") }), none{})
		if plantest.WantCode(t, err, fault.InternalError); !errors.Is(err, errBad) {
			t.Errorf("the first error is lost: %v", err)
		}
	})
	t.Run("a cleanup that panics doesn't change what the handler has answered", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Catch(step.Func(func(as step.Scope, _ none) (none, error) {
			step.StackCleanup(as, func(*none) { panic("cleanup") })
			return none{}, errBad
		}), func(step.Scope, error) step.Next[none] { return step.Fail[none](errSecond) }), none{})
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || !errors.Is(err, errSecond) {
			t.Fatalf("got %v", err)
		}
		if len(e.Unwind) != 1 || e.Unwind[0].What != fault.Replaced {
			t.Errorf("the trail is %v, want one replaced error", e.Unwind)
		}
	})
}

// E4, O6: a body ends the loop's goroutine. A timer that fires before the run's next turn doesn't make
// the run forget the branch.
func TestE4GoexitBeforeATimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := tool.NewManual(tool.Options{Burst: 1, OnError: func(error) {}})
		p := flow.Par(
			new(recorder).recoverWith("limited", 1, flow.Timeout(time.Millisecond, new(recorder).waitingInt("limited"))),
			step.Map(func(in int) int {
				virtualSleep(3 * time.Millisecond) //stepvet:ignore the burst has to take that long
				l.Immediate(func() {})             // takes the next burst, so that the timer fires before the run's next turn
				runtime.Goexit()
				return in
			}),
		)
		r := flow.Start(t.Context(), l, p, 0)
		for range 20 {
			done := make(chan none)
			go func() {
				defer close(done)
				l.Iterate()
			}()
			<-done
		}
		_, err := plantest.Result(t, r)
		plantest.WantCode(t, err, fault.InternalError)
	})
}
