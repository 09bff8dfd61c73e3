package flow_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// E7 and rules like it: a broken rule fails the step of the body.
func TestE7(t *testing.T) {
	type next = step.Next[int]
	id := step.Map(func(i int) int { return i })
	violations := []struct {
		name string
		body func(as step.Scope) next
		code fault.Code
		says string
	}{
		{"E7 completing twice in the body", func(as step.Scope) next {
			return step.Wait(as, func(done step.Done[int]) {
				if !done.Succeed(1) || done.Succeed(2) {
					panic("the first completion counts")
				}
			})
		}, fault.InternalError, "completed twice"},
		{"E7 completing and failing in the body", func(as step.Scope) next {
			return step.Wait(as, func(done step.Done[int]) {
				done.Succeed(1)
				if done.Fail(errBad) {
					panic("the first completion counts")
				}
			})
		}, fault.InternalError, "completed twice"},
		{"E7 Unwind from a body", func(step.Scope) next { return step.Unwind[int]() }, fault.InternalError, "handler"},
		{"Fail(nil)", func(step.Scope) next { return step.Fail[int](nil) }, fault.InternalError, "without an error"},
		{"Done.Fail(nil)", func(as step.Scope) next {
			return step.Wait(as, func(done step.Done[int]) { done.Fail(nil) })
		}, fault.InternalError, "without an error"},
		{"zero timeout", func(as step.Scope) next {
			if as.SetTimeout(0) {
				panic("accepted")
			}
			return step.Succeed(1)
		}, fault.InvalidRequest, "timeout must be positive, got 0s"},
		{"negative timeout", func(as step.Scope) next { as.SetTimeout(-time.Second); return step.Succeed(1) },
			fault.InvalidRequest, "timeout must be positive, got -1s"},
		{"nil hook", func(as step.Scope) next {
			if as.SetCancel(nil) {
				panic("accepted")
			}
			return step.Succeed(1)
		}, fault.InvalidRequest, "hook must not be nil"},
		{"a broken rule, then wait", func(as step.Scope) next { plantest.BreakRule(as); return step.Wait[int](as, nil) },
			fault.InvalidRequest, plantest.BrokenRule},
		{"a broken rule, then sub-steps", func(as step.Scope) next { plantest.BreakRule(as); return step.Into(as, id, 1) },
			fault.InvalidRequest, plantest.BrokenRule},
		{"a broken rule in a cleanup", func(as step.Scope) next {
			step.StackCleanup(as, func(*none) { plantest.BreakRule(as) })
			return step.Succeed(1)
		}, fault.InvalidRequest, plantest.BrokenRule},
		{"Into a nil stage", func(as step.Scope) next { return step.Into[int, int](as, nil, 1) }, fault.InvalidRequest, "nil stage"},
		{"Into the zero Plan", func(as step.Scope) next { return step.Into(as, flow.Plan[int, int]{}, 1) }, fault.InvalidRequest, "nil stage"},
		{"Into with the zero Scope", func(step.Scope) next { return step.Into(step.Scope{}, id, 1) }, fault.InternalError, "zero Scope"},
		{"Wait with the zero Scope", func(step.Scope) next { return step.Wait[int](step.Scope{}, nil) }, fault.InternalError, "another step"},
		{"a state variable of another type", func(as step.Scope) next {
			step.NewVar[string]("v").Set(as, "text")
			if _, ok := step.NewVar[fmt.Stringer]("v").Get(as); ok {
				panic("converted")
			}
			return step.Succeed(1)
		}, fault.InternalError, `"v" as fmt.Stringer, but it is string`},
	}
	for _, c := range violations {
		t.Run(c.name, func(t *testing.T) {
			var handled int
			bad := flow.Named("culprit", step.New(func(as step.Scope, _ int) next { return c.body(as) }))
			p := flow.Chain(id, flow.Chain(bad, id))
			check := func(err error) {
				t.Helper()
				e := plantest.WantCode(t, err, c.code)
				if e.Name != "culprit" || e.Path != "1" || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v doesn't name the step or doesn't say %q", err, c.says)
				}
			}
			for range 2 {
				_, err := plantest.Run(t, p, 1)
				check(err)
				_, err = flow.Run(t.Context(), p, 1)
				check(err)
			}
			// in a handler the violation replaces the error, and nothing is reported
			l := tooltest.New()
			r := flow.Start(t.Context(), l, flow.Catch(
				flow.Catch(step.Func(func(step.Scope, int) (int, error) { return 0, errBad }), func(as step.Scope, _ error) next { return c.body(as) }),
				func(_ step.Scope, err error) next {
					handled++
					if c.name == "E7 Unwind from a body" {
						return step.Succeed(1) // allowed in a handler
					}
					if fault.CodeOf(err) != c.code {
						t.Errorf("after the handler: %v", err)
					}
					return step.Succeed(1)
				}), 1)
			l.Run()
			if v, err := r.Result(); v != 1 || err != nil || handled != 1 || len(l.Errors()) != 0 {
				t.Errorf("in a handler: %d, %v, handled %d times, reported %v", v, err, handled, l.Errors())
			}
		})
	}
	t.Run("nothing lost: the step's own error is kept too", func(t *testing.T) {
		for name, p := range map[string]step.Step[none, none]{
			"returned": step.Func(func(as step.Scope, _ none) (none, error) { plantest.BreakRule(as); return none{}, errBad }),
			"panicked": step.Func(func(as step.Scope, _ none) (none, error) { plantest.BreakRule(as); panic(errBad) }),
			"of a handler": flow.Catch(step.Func(func(step.Scope, none) (none, error) { return none{}, fault.Code("Other") }),
				func(as step.Scope, _ error) step.Next[none] { plantest.BreakRule(as); return step.Fail[none](errBad) }),
		} {
			_, err := plantest.Run(t, p, none{})
			if !errors.Is(err, errBad) || !errors.Is(err, fault.InvalidRequest) {
				t.Errorf("%s: ended with %+v", name, err)
			}
		}
	})
}

func TestE7ForeignNext(t *testing.T) {
	type next = step.Next[int]
	echo := step.New(func(as step.Scope, i int) next {
		return step.Wait(as, func(done step.Done[int]) { as.Loop().Immediate(func() { done.Succeed(i) }) })
	})
	// sound checks that no two steps use the same memory of echo.
	sound := func(t *testing.T) {
		t.Helper()
		shifted := func(by int) step.Step[int, int] {
			return flow.Then(step.Map(func(i int) int { return i + by }), flow.Call(echo))
		}
		plantest.WantResult(t, flow.Par(shifted(0), shifted(1), shifted(2)), 5, []int{5, 6, 7})
	}
	foreign := func(t *testing.T, err error) {
		t.Helper()
		if e := plantest.WantCode(t, err, fault.InternalError); !strings.Contains(e.Info, "belongs to another step") {
			t.Errorf("ended with %v", err)
		}
	}
	for name, made := range map[string]func(as step.Scope) next{
		"Into": func(as step.Scope) next { return step.Into(as, echo, 1) },
		"Wait": func(as step.Scope) next {
			return step.Wait(as, func(done step.Done[int]) { done.Succeed(1) })
		},
	} {
		t.Run("E7 a Next of the step that holds this one, "+name, func(t *testing.T) {
			_, err := plantest.Run(t, step.New(func(outer step.Scope, _ int) next {
				return step.Into(outer, step.New(func(step.Scope, int) next { return made(outer) }), 1)
			}), 1)
			foreign(t, err)
			sound(t)
		})
		t.Run("E7 a Next of an earlier run, "+name, func(t *testing.T) {
			var kept *next
			p := step.New(func(as step.Scope, _ int) next {
				if kept == nil {
					n := made(as)
					kept = &n
				}
				return *kept
			})
			plantest.WantResult(t, p, 1, 1)
			_, err := plantest.Run(t, p, 1)
			foreign(t, err)
			sound(t)
		})
		t.Run("E7 a Next of another branch, "+name, func(t *testing.T) {
			var kept next
			_, err := plantest.Run(t, flow.Par(
				step.New(func(as step.Scope, _ int) next { kept = made(as); return step.Wait[int](as, nil) }),
				step.New(func(step.Scope, int) next { return kept }),
			), 1)
			foreign(t, err)
			sound(t)
		})
	}
	t.Run("E7 sub-steps that have run, returned again by the handler", func(t *testing.T) {
		var kept next
		fails := step.Func(func(step.Scope, int) (int, error) { return 0, errBad })
		p := flow.Catch(
			step.New(func(as step.Scope, _ int) next {
				kept = step.Into(as, fails, 1)
				return kept
			}),
			func(step.Scope, error) next { return kept })
		_, err := plantest.Run(t, p, 1)
		foreign(t, err)
		// the memory of fails was put into its pool once
		_, err = plantest.Run(t, flow.Par(flow.Call(fails), flow.Call(fails)), 1)
		plantest.WantCode(t, err, "Bad")
	})
	t.Run("E7 the Next of the running sub-steps", func(t *testing.T) {
		var kept next
		evil := step.New(func(step.Scope, int) next { return kept })
		_, err := plantest.Run(t, step.New(func(as step.Scope, _ int) next {
			kept = step.Into(as, evil, 1)
			return kept
		}), 1)
		foreign(t, err)
		plantest.WantResult(t, flow.Par(flow.Call(echo), flow.Call(echo)), 5, []int{5, 5})
	})
	t.Run("sub-steps that are not returned never run", func(t *testing.T) {
		var rec recorder
		plantest.WantResult(t, step.New(func(as step.Scope, _ none) step.Next[none] {
			_ = step.Into(as, rec.step("not returned"), none{}) //stepvet:ignore what the test is about
			return step.Into(as, rec.step("returned"), none{})
		}), none{}, none{})
		rec.Want(t, "returned")
	})
}
