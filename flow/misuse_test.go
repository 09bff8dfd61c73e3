package flow_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Bad input and misuse: a typed error that names the step or the place, no
// hang, nothing lost.

// here is the caller's file and line.
func here() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

func TestNotWellFormed(t *testing.T) {
	type plan = flow.Plan[int, int]
	id := step.Map(func(i int) int { return i })
	first := step.Map(func(all []int) int { return all[0] })
	one := func(err error, site string) (error, string) { return err, site }
	for _, c := range []struct {
		name  string
		build func() (plan, string)
		says  string
	}{
		{"zero plan", func() (plan, string) { return flow.Then(plan{}, id), here() }, "Then"},
		{"nil step", func() (plan, string) { return flow.Of[int, int](nil), here() }, "nil"},
		{"nil body of Map", func() (plan, string) { return flow.Of(step.Map[int, int](nil)), here() }, "map: the body is nil"},
		{"nil body of Func", func() (plan, string) { return flow.Of(step.Func[int, int](nil)), here() }, "func: the body is nil"},
		{"nil body of New", func() (plan, string) { return flow.Of(step.New[int, int](nil)), here() }, "new: the body is nil"},
		{"nil body of Await", func() (plan, string) { return flow.Of(step.Await[int, int](nil)), here() }, "await: the body is nil"},
		{"nil first stage", func() (plan, string) { return flow.Then[int, int, int](nil, id), here() }, "first"},
		{"nil second stage", func() (plan, string) { return flow.Then[int, int, int](id, nil), here() }, "second"},
		{"nil in Chain", func() (plan, string) { return flow.Chain(id, nil), here() }, "Chain"},
		{"nil branch of Par", func() (plan, string) { return flow.Then(flow.Par(id, nil), first), here() }, "Par"},
		{"nil stage of Catch", func() (plan, string) {
			return flow.Catch[int, int](nil, func(step.Scope, error) step.Next[int] { return step.Unwind[int]() }), here()
		}, "Catch"},
		{"nil handler", func() (plan, string) { return flow.Catch(id, nil), here() }, "Catch: the handler is nil"},
		{"nil stage of Timeout", func() (plan, string) { return flow.Timeout[int, int](1, nil), here() }, "Timeout"},
		{"zero limit", func() (plan, string) { return flow.Timeout(0, id), here() }, "positive, got 0s"},
		{"negative limit", func() (plan, string) { return flow.Timeout(-time.Second, id), here() }, "positive, got -1s"},
		{"nil stage of OnCancel", func() (plan, string) { return flow.OnCancel[int, int](nil, func(step.Scope) {}), here() }, "OnCancel"},
		{"nil hook", func() (plan, string) { return flow.OnCancel(id, nil), here() }, "OnCancel: the hook is nil"},
		{"nil stage of Named", func() (plan, string) { return flow.Named[int, int]("x", nil), here() }, "Named x"},
		{"nil stage of Call", func() (plan, string) { return flow.Call[int, int](nil), here() }, "Call"},
		{"nil model", func() (plan, string) { return flow.CopyFrom(flow.Model[int, int]{}), here() }, "CopyFrom"},
		{"reserved name in a model", func() (plan, string) {
			return flow.CopyFrom(flow.Model[int, int]{Steps: id, State: map[string]any{step.ErrorInfo: ""}}), here()
		}, step.ErrorInfo},
		{"nil source of AwaitChan", func() (plan, string) { return flow.AwaitChan[int, int](nil), here() }, "AwaitChan"},
		{"nil start of AwaitRun", func() (plan, string) { return flow.AwaitRun[int, int](nil), here() }, "AwaitRun"},
		{"deep inside", func() (plan, string) {
			return flow.Call(flow.Timeout(time.Second, flow.Catch(flow.Chain(id, nil), func(step.Scope, error) step.Next[int] {
				return step.Unwind[int]()
			}))), ""
		}, "Chain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, site := c.build()
			check := func(how string, err error) {
				t.Helper()
				e := coded(t, err, fault.InvalidRequest)
				if !strings.Contains(e.Info, c.says) {
					t.Errorf("%s says %q, want %q in it", how, e.Info, c.says)
				}
				if got := e.Site.String(); site != "" && got != site {
					t.Errorf("%s says it was built at %s, want %s", how, got, site)
				}
			}
			check("Err", p.Err())
			_, err := flow.Run(t.Context(), p, 1)
			check("Run", err)
			l := tooltest.New()
			r := flow.Start(t.Context(), l, p, 1)
			_, err = r.Result()
			check("Start", err)
			if l.Pending() != 0 {
				t.Error("something was queued")
			}
			_, err = flow.Run(t.Context(), step.New(func(as step.Scope, i int) step.Next[int] { return step.Into(as, p, i) }), 1)
			coded(t, err, fault.InvalidRequest)
		})
	}
	for _, c := range []struct {
		name string
		err  func() (error, string)
	}{
		{"zero Plan", func() (error, string) { return one(plan{}.Err(), here()) }},
		{"bound of zero", func() (error, string) { return one(flow.ParEach(0, id).Err(), here()) }},
		{"negative bound", func() (error, string) { return one(flow.ParEach(-1, id).Err(), here()) }},
		{"nil stage of ParEach", func() (error, string) { return one(flow.ParEach[int, int](1, nil).Err(), here()) }},
		{"nil branch of Par2", func() (error, string) { return one(flow.Par2[int, int, int](id, nil).Err(), here()) }},
		{"nil branch of Par3", func() (error, string) { return one(flow.Par3[int, int, int, int](id, nil, id).Err(), here()) }},
		{"Run of nil", func() (error, string) {
			_, err := flow.Run[int, int](context.Background(), nil, 1)
			return one(err, here()[:len("misuse_test.go")])
		}},
		{"Start of nil", func() (error, string) {
			_, err := flow.Start[int, int](context.Background(), tooltest.New(), nil, 1).Result()
			return one(err, here()[:len("misuse_test.go")])
		}},
		{"Start on a nil loop", func() (error, string) {
			_, err := flow.Start(context.Background(), nil, id, 1).Wait(context.Background())
			return one(err, here()[:len("misuse_test.go")])
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err, site := c.err()
			if e := coded(t, err, fault.InvalidRequest); !strings.HasPrefix(e.Site.String(), site) {
				t.Errorf("says it was built at %v, want %s", e.Site, site)
			}
		})
	}
	t.Run("every defect is reported", func(t *testing.T) {
		text := flow.Chain(flow.Of(step.Map[int, int](nil)), flow.Of(step.Func[int, int](nil)), flow.Timeout(0, id)).Err().Error()
		for _, want := range []string{"map: the body", "func: the body", "the limit must be positive"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q doesn't say %q", text, want)
			}
		}
	})
	t.Run("a sound plan has no error", func(t *testing.T) {
		if err := flow.Of(id).Err(); err != nil {
			t.Error(err)
		}
	})
}

// Rule E7 and its like: what a body does wrong fails its step.
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
		{"bad timeout, then wait", func(as step.Scope) next { as.SetTimeout(0); return step.Wait[int](as, nil) },
			fault.InvalidRequest, "timeout must be positive"},
		{"bad timeout, then sub-steps", func(as step.Scope) next { as.SetTimeout(0); return step.Into(as, id, 1) },
			fault.InvalidRequest, "timeout must be positive"},
		{"bad timeout in a cleanup", func(as step.Scope) next {
			step.StackCleanup(as, func(*none) { as.SetTimeout(0) })
			return step.Succeed(1)
		}, fault.InvalidRequest, "timeout must be positive"},
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
				e := coded(t, err, c.code)
				if e.Name != "culprit" || e.Path != "1" || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%v doesn't name the step or doesn't say %q", err, c.says)
				}
			}
			for range 2 {
				_, err := play(t, p, 1)
				check(err)
				_, err = flow.Run(t.Context(), p, 1)
				check(err)
			}
			// In a handler it replaces the error; nothing is left behind.
			l := tooltest.New()
			r := flow.Start(t.Context(), l, flow.Catch(
				flow.Catch(step.Func(func(step.Scope, int) (int, error) { return 0, errBad }), func(as step.Scope, _ error) next { return c.body(as) }),
				func(_ step.Scope, err error) next {
					handled++
					if c.name == "E7 Unwind from a body" {
						return step.Succeed(1) // in a handler it is right
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
			"returned": step.Func(func(as step.Scope, _ none) (none, error) { as.SetTimeout(0); return none{}, errBad }),
			"panicked": step.Func(func(as step.Scope, _ none) (none, error) { as.SetTimeout(0); panic(errBad) }),
			"of a handler": flow.Catch(step.Func(func(step.Scope, none) (none, error) { return none{}, fault.Code("Other") }),
				func(as step.Scope, _ error) step.Next[none] { as.SetTimeout(0); return step.Fail[none](errBad) }),
		} {
			_, err := play(t, p, none{})
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
	// sound checks that no memory of echo is used twice.
	sound := func(t *testing.T) {
		t.Helper()
		shifted := func(by int) step.Step[int, int] {
			return flow.Then(step.Map(func(i int) int { return i + by }), flow.Call(echo))
		}
		plays(t, flow.Par(shifted(0), shifted(1), shifted(2)), 5, []int{5, 6, 7})
	}
	foreign := func(t *testing.T, err error) {
		t.Helper()
		if e := coded(t, err, fault.InternalError); !strings.Contains(e.Info, "belongs to another step") {
			t.Errorf("ended with %v", err)
		}
	}
	for name, make := range map[string]func(as step.Scope) next{
		"Into": func(as step.Scope) next { return step.Into(as, echo, 1) },
		"Wait": func(as step.Scope) next {
			return step.Wait(as, func(done step.Done[int]) { done.Succeed(1) })
		},
	} {
		t.Run("E7 a Next of the step that holds this one, "+name, func(t *testing.T) {
			_, err := play(t, step.New(func(outer step.Scope, _ int) next {
				return step.Into(outer, step.New(func(step.Scope, int) next { return make(outer) }), 1)
			}), 1)
			foreign(t, err)
			sound(t)
		})
		t.Run("E7 a Next of an earlier run, "+name, func(t *testing.T) {
			var kept *next
			p := step.New(func(as step.Scope, _ int) next {
				if kept == nil {
					n := make(as)
					kept = &n
				}
				return *kept
			})
			plays(t, p, 1, 1)
			_, err := play(t, p, 1)
			foreign(t, err)
			sound(t)
		})
		t.Run("E7 a Next of another branch, "+name, func(t *testing.T) {
			var kept next
			_, err := play(t, flow.Par(
				step.New(func(as step.Scope, _ int) next { kept = make(as); return step.Wait[int](as, nil) }),
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
		_, err := play(t, p, 1)
		foreign(t, err)
		// The memory of fails is in its pool once.
		_, err = play(t, flow.Par(flow.Call(fails), flow.Call(fails)), 1)
		coded(t, err, "Bad")
	})
	t.Run("E7 the Next of the running sub-steps", func(t *testing.T) {
		var kept next
		evil := step.New(func(step.Scope, int) next { return kept })
		_, err := play(t, step.New(func(as step.Scope, _ int) next {
			kept = step.Into(as, evil, 1)
			return kept
		}), 1)
		foreign(t, err)
		plays(t, flow.Par(flow.Call(echo), flow.Call(echo)), 5, []int{5, 5})
	})
	t.Run("sub-steps that are not returned never run", func(t *testing.T) {
		var b book
		plays(t, step.New(func(as step.Scope, _ none) step.Next[none] {
			step.Into(as, b.step("not returned"), none{})
			return step.Into(as, b.step("returned"), none{})
		}), none{}, none{})
		b.is(t, "returned")
	})
}

func TestE7ScopeAfterItsStep(t *testing.T) {
	var kept step.Scope
	uses := map[string]func(as step.Scope){
		"SetTimeout":   func(as step.Scope) { as.SetTimeout(time.Second) },
		"SetCancel":    func(as step.Scope) { as.SetCancel(func() { panic("a hook of nobody") }) },
		"Context":      func(as step.Scope) { as.Context() },
		"State.Get":    func(as step.Scope) { as.State().Get("x") },
		"State.Set":    func(as step.Scope) { as.State().Set("x", 1) },
		"State.Delete": func(as step.Scope) { as.State().Delete("x") },
		"Var":          func(as step.Scope) { step.NewVar[int]("x").Set(as, 1) },
		"Stack":        func(as step.Scope) { *step.Stack[int](as) = 1 },
		"StackCleanup": func(as step.Scope) { step.StackCleanup(as, func(*int) { panic("a cleanup of nobody") }) },
		"Path":         func(as step.Scope) { as.Path() },
		"Trace":        func(as step.Scope) { as.Trace() },
		"Into":         func(as step.Scope) { step.Into(as, step.Map(func(i int) int { return i }), 1) },
	}
	for name, use := range uses {
		keep := step.Func(func(as step.Scope, _ none) (none, error) { kept = as; return none{}, nil })
		late := flow.Named("late", step.Func(func(step.Scope, none) (none, error) { use(kept); return none{}, nil }))
		t.Run("E7 by a later step of the run, "+name, func(t *testing.T) {
			p := flow.Chain[none](keep, late)
			for range 2 {
				_, err := play(t, p, none{})
				e := coded(t, err, fault.InternalError)
				if e.Name != "late" || !strings.Contains(e.Info, "scope of a step that has ended") {
					t.Errorf("ended with %v", err)
				}
			}
		})
		t.Run("after the run it does nothing, "+name, func(t *testing.T) {
			plays(t, keep, none{}, none{})
			use(kept)
			// Nor does it touch the next run in that memory.
			plays(t, flow.Chain(keep, step.Func(func(as step.Scope, _ none) (none, error) {
				if _, ok := as.State().Get("x"); ok {
					t.Error("another run's scope wrote the state")
				}
				return none{}, nil
			})), none{}, none{})
		})
		t.Run("a scope of another run does nothing, "+name, func(t *testing.T) {
			l := tooltest.New()
			r := flow.Start(t.Context(), l, flow.Chain(keep, step.New(func(as step.Scope, _ none) step.Next[none] {
				return step.Wait[none](as, nil)
			})), none{})
			l.Run()
			plays(t, late, none{}, none{})
			r.Cancel(nil)
			l.Run()
			if _, err := r.Result(); !errors.Is(err, fault.Cancelled) || len(l.Errors()) != 0 {
				t.Errorf("ended with %v, reported %v", err, l.Errors())
			}
		})
		t.Run("the zero Scope does nothing, "+name, func(t *testing.T) {
			use(step.Scope{})
			plays(t, step.Func(func(step.Scope, none) (none, error) { use(step.Scope{}); return none{}, nil }), none{}, none{})
		})
	}
	t.Run("a scope lasts through the hook, the handler and the cleanups of its step", func(t *testing.T) {
		var b book
		for _, err := range []error{nil, errBad} {
			b = book{}
			play(t, flow.Catch(step.Func(func(as step.Scope, _ none) (none, error) {
				kept = as
				as.SetCancel(func() { b.say("hook %v %s", as.Valid(), as.Path()) })
				step.StackCleanup(as, func(*none) { b.say("cleanup %v %s", as.Valid(), as.Path()) })
				return none{}, err
			}), func(step.Scope, error) step.Next[none] {
				b.say("handler %v %s", kept.Valid(), kept.Path())
				return step.Unwind[none]()
			}), none{})
			if err == nil {
				b.is(t, "cleanup true 0")
			} else {
				b.is(t, "hook true 0", "handler true 0", "cleanup true 0")
			}
			if kept.Valid() {
				t.Error("it outlives its step")
			}
		}
	})
	t.Run("what an ended scope answers", func(t *testing.T) {
		plays(t, step.Func(func(as step.Scope, _ none) (none, error) { kept = as; return none{}, nil }), none{}, none{})
		for name, as := range map[string]step.Scope{"ended": kept, "zero": {}} {
			if as.Valid() || as.Loop() != nil || as.Path() != "" || as.Trace() != nil {
				t.Errorf("%s: it still answers", name)
			}
			if fault.CodeOf(as.Err()) != fault.InternalError {
				t.Errorf("%s: Err is %v", name, as.Err())
			}
			if ctx := as.Context(); ctx.Err() == nil || fault.CodeOf(context.Cause(ctx)) != fault.InternalError {
				t.Errorf("%s: its context ended with %v", name, context.Cause(ctx))
			}
			if as.SetTimeout(time.Second) || as.SetCancel(func() {}) || as.State().Set("x", 1) {
				t.Errorf("%s: something was accepted", name)
			}
			for range as.State().All() {
				t.Errorf("%s: it has variables", name)
			}
		}
	})
	t.Run("a violation in a hook and in a cleanup is kept beside the error", func(t *testing.T) {
		for name, install := range map[string]func(as step.Scope){
			"hook":    func(as step.Scope) { as.SetCancel(func() { kept.Path() }) },
			"cleanup": func(as step.Scope) { step.StackCleanup(as, func(*none) { kept.Path() }) },
		} {
			_, err := play(t, flow.Chain(
				step.Func(func(as step.Scope, _ none) (none, error) { kept = as; return none{}, nil }),
				step.Func(func(as step.Scope, _ none) (none, error) { install(as); return none{}, errBad }),
			), none{})
			if e := coded(t, err, "Bad"); len(e.Secondary) != 1 || fault.CodeOf(e.Secondary[0]) != fault.InternalError {
				t.Errorf("%s: secondary errors are %v", name, e.Secondary)
			}
		}
	})
}

func TestDoneAfterTheStep(t *testing.T) {
	var done step.Done[int]
	wait := step.New(func(as step.Scope, _ int) step.Next[int] {
		return step.Wait(as, func(d step.Done[int]) { done = d })
	})
	refused := func(t *testing.T) {
		t.Helper()
		if done.Valid() || done.Succeed(1) || done.Fail(errBad) {
			t.Error("a completion was taken")
		}
	}
	t.Run("the zero Done completes nothing", func(t *testing.T) {
		done = step.Done[int]{}
		refused(t)
	})
	t.Run("C6 a second completion, later", func(t *testing.T) {
		l := tooltest.New()
		r := flow.Start(t.Context(), l, wait, 0)
		l.Run()
		if !done.Valid() || !done.Succeed(1) {
			t.Fatal("the first completion wasn't taken")
		}
		refused(t)
		l.Run()
		refused(t)
		if v, err := r.Result(); v != 1 || err != nil {
			t.Errorf("ended with %d, %v", v, err)
		}
	})
	t.Run("C6 after a timeout", func(t *testing.T) {
		_, err := play(t, flow.Timeout(time.Second, wait), 0)
		coded(t, err, fault.Timeout)
		refused(t)
	})
	t.Run("C6 after the error of a sibling", func(t *testing.T) {
		_, err := play(t, flow.Par(wait, step.Func(func(step.Scope, int) (int, error) { return 0, errBad })), 0)
		coded(t, err, "Bad")
		refused(t)
	})
	t.Run("C6 it can't complete the next run in that memory", func(t *testing.T) {
		l := tooltest.New()
		first := flow.Start(t.Context(), l, wait, 0)
		l.Run()
		old := done
		old.Succeed(1)
		l.Run()
		first.Result()
		second := flow.Start(t.Context(), l, wait, 0)
		l.Run()
		if old.Succeed(7) || old.Fail(errBad) {
			t.Error("the old Done was taken")
		}
		done.Succeed(2)
		l.Run()
		if v, err := second.Result(); v != 2 || err != nil {
			t.Errorf("ended with %d, %v", v, err)
		}
	})
	t.Run("C6 from many goroutines after cancel", func(t *testing.T) {
		l := tool.Start(tool.Options{})
		defer l.Shutdown(context.Background())
		for range 50 {
			var taken atomic.Int32
			var completers sync.WaitGroup
			begun := make(chan none)
			r := flow.Start(t.Context(), l, step.New(func(as step.Scope, _ int) step.Next[int] {
				return step.Wait(as, func(done step.Done[int]) {
					for i := range 8 {
						completers.Go(func() {
							<-begun
							if done.Succeed(i) {
								taken.Add(1)
							}
							done.Fail(errBad)
						})
					}
					completers.Go(func() { close(begun) })
				})
			}), 0)
			<-begun
			r.Cancel(nil)
			_, err := r.Wait(t.Context())
			completers.Wait()
			if n := taken.Load(); n > 1 || err != nil && !errors.Is(err, fault.Cancelled) && !errors.Is(err, errBad) {
				t.Fatalf("%d completions were taken, the run ended with %v", n, err)
			}
		}
	})
}

func TestRefusedRuns(t *testing.T) {
	var b book
	body := b.step("body")
	errWhy := errors.New("why")
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errWhy)
	expired, release := context.WithDeadlineCause(t.Context(), time.Unix(0, 0), errWhy)
	defer release()
	for _, c := range []struct {
		name string
		ctx  context.Context
		code fault.Code
		is   []error
	}{
		{"cancelled context", cancelled, fault.Cancelled, []error{context.Canceled, errWhy}},
		{"expired context", expired, fault.Timeout, []error{context.DeadlineExceeded, errWhy}},
		{"nil context", nil, fault.InvalidRequest, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, run := flow.Run(c.ctx, body, none{})
			l := tooltest.New()
			r := flow.Start(c.ctx, l, body, none{})
			_, started := r.Result()
			_, waited := r.Wait(t.Context())
			l.Run()
			for how, err := range map[string]error{"Run": run, "Start": started, "Wait": waited} {
				coded(t, err, c.code)
				for _, want := range c.is {
					if !errors.Is(err, want) {
						t.Errorf("%s: %v is not %v", how, err, want)
					}
				}
			}
			<-r.Done()
			b.is(t)
		})
	}
	t.Run("loop that is shut down", func(t *testing.T) {
		l := tool.Start(tool.Options{})
		if err := l.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := flow.Start(t.Context(), l, body, none{})
		<-r.Done()
		if _, err := r.Result(); !errors.Is(err, tool.ErrShutdown) {
			t.Errorf("ended with %v", err)
		} else if _, ok := errors.AsType[*fault.Error](err); !ok {
			t.Errorf("got a %T", err)
		}
		b.is(t)
	})
	t.Run("Wait on the run's own loop", func(t *testing.T) {
		l := tool.Start(tool.Options{})
		defer l.Shutdown(context.Background())
		self := make(chan *flow.Running[none], 1)
		got := make(chan error, 1)
		own := flow.Start(t.Context(), l, step.New(func(as step.Scope, _ none) step.Next[none] {
			return step.Wait(as, func(done step.Done[none]) {
				as.Loop().Immediate(func() {
					_, err := (<-self).Wait(context.Background())
					got <- err
					done.Succeed(none{})
				})
			})
		}), none{})
		self <- own
		if err := <-got; !errors.Is(err, flow.ErrOnLoop) {
			t.Errorf("Wait gave %v", err)
		}
		if _, err := own.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("Wait with a context that ends leaves the run alone", func(t *testing.T) {
		l := tool.Start(tool.Options{})
		defer l.Shutdown(context.Background())
		ready := make(chan step.Done[int], 1)
		r := flow.Start(t.Context(), l, step.New(func(as step.Scope, _ none) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) { ready <- done })
		}), none{})
		done := <-ready
		if _, err := r.Wait(cancelled); !errors.Is(err, errWhy) {
			t.Errorf("Wait gave %v", err)
		}
		done.Succeed(3)
		if v, err := r.Wait(t.Context()); v != 3 || err != nil {
			t.Errorf("ended with %d, %v", v, err)
		}
	})
}

// Two runs of one plan share nothing, at once or one after the other.
func TestRunsShareNothing(t *testing.T) {
	seen := step.NewVar[int]("seen")
	p := flow.Then(
		flow.Par(
			step.Func(func(as step.Scope, i int) (int, error) {
				if _, ok := seen.Get(as); ok {
					return 0, errors.New("the state of another run")
				}
				seen.Set(as, i)
				*step.Stack[int](as) += i
				return i, nil
			}),
			step.Await(func(_ context.Context, i int) (int, error) { return 2 * i, nil }),
			flow.Catch(step.Func(func(step.Scope, int) (int, error) { return 0, errBad }),
				func(as step.Scope, _ error) step.Next[int] {
					v, _ := seen.Get(as)
					return step.Succeed(3 * v)
				}),
		),
		step.Func(func(as step.Scope, all []int) (int, error) {
			v, _ := seen.Get(as)
			return v + all[0] + all[1] + all[2], nil
		}))
	l := tool.Start(tool.Options{})
	defer l.Shutdown(context.Background())
	var callers sync.WaitGroup
	for c := range 8 {
		callers.Go(func() {
			for i := c; i < 400; i += 8 {
				got, err := flow.Run(t.Context(), p, i)
				if got != 7*i || err != nil {
					t.Errorf("Run gave %d, %v, want %d", got, err, 7*i)
				}
				got, err = flow.Start(t.Context(), l, p, i).Wait(t.Context())
				if got != 7*i || err != nil {
					t.Errorf("Start gave %d, %v, want %d", got, err, 7*i)
				}
			}
		})
	}
	callers.Wait()
}

// A hook, handler or cleanup can't leave anything behind for later steps or runs.
func TestNothingIsLeftBehind(t *testing.T) {
	type key struct{}
	install := func(b *book, as step.Scope) {
		as.SetTimeout(time.Second)
		as.SetCancel(func() { b.say("hook") })
		as.Context()
	}
	fails := func(with func(as step.Scope), err error) step.Step[none, none] {
		return step.Func(func(as step.Scope, _ none) (none, error) { with(as); return none{}, err })
	}
	for _, c := range []struct {
		name string
		s    func(b *book) step.Step[none, none]
	}{
		{"handler that unwinds", func(b *book) step.Step[none, none] {
			return flow.Catch(fails(func(step.Scope) {}, errBad), func(as step.Scope, _ error) step.Next[none] {
				install(b, as)
				return step.Unwind[none]()
			})
		}},
		{"handler that fails", func(b *book) step.Step[none, none] {
			return flow.Catch(fails(func(step.Scope) {}, errBad), func(as step.Scope, err error) step.Next[none] {
				install(b, as)
				return step.Fail[none](err)
			})
		}},
		{"handler that panics", func(b *book) step.Step[none, none] {
			return flow.Catch(fails(func(step.Scope) {}, errBad), func(as step.Scope, err error) step.Next[none] {
				install(b, as)
				panic(err)
			})
		}},
		{"handler that recovers", func(b *book) step.Step[none, none] {
			return flow.Catch(fails(func(step.Scope) {}, errBad), func(as step.Scope, _ error) step.Next[none] {
				install(b, as)
				return step.Succeed(none{})
			})
		}},
		{"hook", func(b *book) step.Step[none, none] {
			return fails(func(as step.Scope) { as.SetCancel(func() { install(b, as) }) }, errBad)
		}},
		{"cleanup after an error", func(b *book) step.Step[none, none] {
			return fails(func(as step.Scope) { step.StackCleanup(as, func(*none) { install(b, as) }) }, errBad)
		}},
		{"cleanup after success", func(b *book) step.Step[none, none] {
			return fails(func(as step.Scope) { step.StackCleanup(as, func(*none) { install(b, as) }) }, nil)
		}},
		{"cleanup that adds a cleanup", func(b *book) step.Step[none, none] {
			return fails(func(as step.Scope) {
				step.StackCleanup(as, func(*none) { step.StackCleanup(as, func(*none) { install(b, as) }) })
			}, errBad)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b book
			l := tooltest.New()
			recovered := flow.Catch(flow.Chain(c.s(&b)), func(step.Scope, error) step.Next[none] { return step.Succeed(none{}) })
			later := step.New(func(as step.Scope, _ none) step.Next[none] {
				b.say("later")
				if v := as.Context().Value(key{}); v != "now" {
					t.Errorf("the later step has a context of %v", v)
				}
				return step.Wait(as, func(done step.Done[none]) {
					as.Loop().Deferred(time.Minute, func() { done.Fail(errBad) })
				})
			})
			p := flow.Chain(recovered, later)
			for _, value := range []string{"now", "now"} {
				b = book{}
				r := flow.Start(context.WithValue(t.Context(), key{}, value), l, p, none{})
				l.Run()
				if _, err := r.Result(); !errors.Is(err, errBad) || len(l.Errors()) != 0 {
					t.Errorf("ended with %v, reported %v", err, l.Errors())
				}
				if b.lines[len(b.lines)-1] != "later" || len(b.lines) > 2 {
					t.Errorf("trace %q", b.lines)
				}
			}
		})
	}
}

func TestGoexit(t *testing.T) {
	gone := func(b *book) step.Step[none, none] {
		return flow.Catch(
			step.Func(func(as step.Scope, _ none) (none, error) {
				as.SetCancel(func() { b.say("hook") })
				step.StackCleanup(as, func(*none) { b.say("cleanup") })
				runtime.Goexit()
				return none{}, nil
			}),
			func(_ step.Scope, err error) step.Next[none] {
				b.say("handler: %s", fault.CodeOf(err))
				return step.Unwind[none]()
			})
	}
	t.Run("E4 on a loop it is InternalError and the loop goes on", func(t *testing.T) {
		var b book
		var mu sync.Mutex
		var reported []error
		l := tool.Start(tool.Options{OnError: func(err error) {
			mu.Lock()
			defer mu.Unlock()
			reported = append(reported, err)
		}})
		defer l.Shutdown(context.Background())
		_, err := flow.Start(t.Context(), l, gone(&b), none{}).Wait(t.Context())
		if e := coded(t, err, fault.InternalError); e.Path != "0" || !strings.Contains(err.Error(), "Goexit") {
			t.Errorf("ended with %v", err)
		}
		b.is(t, "hook", "handler: InternalError", "cleanup")
		if _, err := flow.Start(t.Context(), l, flow.Value[none](1), none{}).Wait(t.Context()); err != nil {
			t.Errorf("the next run on that loop: %v", err)
		}
		mu.Lock()
		defer mu.Unlock()
		if len(reported) != 1 || !errors.Is(reported[0], tool.ErrGoexit) {
			t.Errorf("reported %v", reported)
		}
	})
	t.Run("E4 in Run the goroutine ends, but not before the run is unwound", func(t *testing.T) {
		var b book
		ended := make(chan bool)
		go func() {
			returned := false
			defer func() { ended <- returned }()
			flow.Run(context.Background(), gone(&b), none{})
			returned = true
		}()
		if <-ended {
			t.Error("Run returned, though the goroutine was told to end")
		}
		if len(b.lines) < 2 || b.lines[0] != "hook" || b.lines[len(b.lines)-1] != "cleanup" {
			t.Errorf("trace %q, want hook and cleanup", b.lines)
		}
	})
}
