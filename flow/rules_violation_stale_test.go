package flow_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

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
		"Into":         func(as step.Scope) { _ = step.Into(as, step.Map(func(i int) int { return i }), 1) }, //stepvet:ignore the step has ended
		"Into broken":  func(as step.Scope) { _ = step.Into(as, step.Map[int, int](nil), 1) },                //stepvet:ignore the step has ended
	}
	for name, use := range uses {
		keep := step.Func(func(as step.Scope, _ none) (none, error) { kept = as; return none{}, nil }) //stepvet:ignore it is about a kept scope
		late := flow.Named("late", step.Func(func(step.Scope, none) (none, error) { use(kept); return none{}, nil }))
		t.Run("E7 by a later step of the run, "+name, func(t *testing.T) {
			p := flow.Chain[none](keep, late)
			for range 2 {
				_, err := plantest.Run(t, p, none{})
				e := plantest.WantCode(t, err, fault.InternalError)
				if e.Name != "late" || !strings.Contains(e.Info, "scope of a step that has ended") {
					t.Errorf("ended with %v", err)
				}
			}
		})
		t.Run("E7 by a step of a part, "+name, func(t *testing.T) {
			inner := flow.Linger(time.Second, flow.Linger(time.Second, late))
			for p, part := range map[string]flow.Plan[none, none]{"one": flow.Linger(time.Second, late), "of a part": inner} {
				other := flow.Linger(time.Second, step.Delay[none](time.Second))
				_, err := plantest.Run(t, flow.Then(keep, flow.Par[none, none](other, part)), none{})
				e := plantest.WantCode(t, err, fault.InternalError)
				if e.Name != "late" || !strings.Contains(e.Info, "scope of a step that has ended") {
					t.Errorf("a part %s ended with %v", p, err)
				}
			}
		})
		t.Run("after the run it does nothing, "+name, func(t *testing.T) {
			plantest.WantResult(t, keep, none{}, none{})
			use(kept)
			// The scope doesn't change the next run, which may use the same memory.
			plantest.WantResult(t, flow.Chain(keep, step.Func(func(as step.Scope, _ none) (none, error) {
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
			plantest.WantResult(t, late, none{}, none{})
			r.Cancel(nil)
			l.Run()
			if _, err := r.Result(); !errors.Is(err, fault.Cancelled) || len(l.Errors()) != 0 {
				t.Errorf("ended with %v, reported %v", err, l.Errors())
			}
		})
		t.Run("the zero Scope does nothing, "+name, func(t *testing.T) {
			use(step.Scope{})
			plantest.WantResult(t, step.Func(func(step.Scope, none) (none, error) { use(step.Scope{}); return none{}, nil }), none{}, none{})
		})
	}
	t.Run("a scope lasts through the hook, the handler and the cleanups of its step", func(t *testing.T) {
		var rec recorder
		for _, err := range []error{nil, errBad} {
			rec = recorder{}
			plantest.Run(t, flow.Catch(step.Func(func(as step.Scope, _ none) (none, error) {
				kept = as //stepvet:ignore it is about a kept scope
				as.SetCancel(func() { rec.Recordf("hook %v %s", as.Valid(), as.Path()) })
				step.StackCleanup(as, func(*none) { rec.Recordf("cleanup %v %s", as.Valid(), as.Path()) })
				return none{}, err
			}), func(step.Scope, error) step.Next[none] {
				rec.Recordf("handler %v %s", kept.Valid(), kept.Path())
				return step.Unwind[none]()
			}), none{})
			if err == nil {
				rec.Want(t, "cleanup true 0")
			} else {
				rec.Want(t, "hook true 0", "handler true 0", "cleanup true 0")
			}
			if kept.Valid() {
				t.Error("it outlives its step")
			}
		}
	})
	t.Run("what an ended scope answers", func(t *testing.T) {
		plantest.WantResult(t, step.Func(func(as step.Scope, _ none) (none, error) { kept = as; return none{}, nil }), none{}, none{}) //stepvet:ignore it is about a kept scope
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
			_, err := plantest.Run(t, flow.Chain(
				step.Func(func(as step.Scope, _ none) (none, error) { kept = as; return none{}, nil }), //stepvet:ignore it is about a kept scope
				step.Func(func(as step.Scope, _ none) (none, error) { install(as); return none{}, errBad }),
			), none{})
			if e := plantest.WantCode(t, err, "Bad"); len(e.Secondary) != 1 || fault.CodeOf(e.Secondary[0]) != fault.InternalError {
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
		_, err := plantest.Run(t, flow.Timeout(time.Second, wait), 0)
		plantest.WantCode(t, err, fault.Timeout)
		refused(t)
	})
	t.Run("C6 after the error of a sibling", func(t *testing.T) {
		_, err := plantest.Run(t, flow.Par(wait, step.Func(func(step.Scope, int) (int, error) { return 0, errBad })), 0)
		plantest.WantCode(t, err, "Bad")
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

// E7: a part that may linger belongs to the run around it: the step that uses the scope of a step that has ended
// fails, wherever the two are.
func TestE7ScopeAfterItsStepAndParts(t *testing.T) {
	var kept step.Scope
	keep := step.Func(func(as step.Scope, in int) (int, error) { kept = as; return in, nil }) //stepvet:ignore it is about a kept scope
	late := flow.Named("late", step.New(func(_ step.Scope, in int) step.Next[int] {
		kept.SetTimeout(time.Second)
		return step.Succeed(in)
	}))
	linger := func(s step.Step[int, int]) step.Step[int, int] { return flow.Linger(time.Second, s) }
	for name, p := range map[string]step.Step[int, int]{
		"of the run, in a part": flow.Then(keep, linger(linger(late))),
		"of a part, in the run": flow.Race(linger(linger(flow.Then(keep, step.Delay[int](time.Hour)))), flow.Then(step.Delay[int](time.Second), late)),
		"of a part, in another": flow.Race(linger(flow.Then(keep, step.Delay[int](time.Hour))), linger(flow.Then(step.Delay[int](time.Second), late))),
	} {
		loop, run := plantest.Start(t, p, 1)
		loop.Run()
		_, err := plantest.Result(t, run)
		if e := plantest.WantCode(t, err, fault.InternalError); e.Name != "late" || !strings.Contains(e.Info, "scope of a step that has ended") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// E7, P10: to users a run and its parts are one run, so a step of a part that breaks a rule by the scope of a step around the
// part fails.
func TestE7ScopeOfAStepAroundAPart(t *testing.T) {
	text := step.NewVar[string]("number")
	tasks := flow.NewTasks[int, int]("none")
	var outer step.Scope
	for name, c := range map[string]struct {
		use  func()
		code fault.Code
	}{
		"SetTimeout": {func() { outer.SetTimeout(0) }, fault.InvalidRequest},
		"SetCancel":  {func() { outer.SetCancel(nil) }, fault.InvalidRequest},
		"Var":        {func() { text.Get(outer) }, fault.InternalError},
		"Tasks.Go":   {func() { tasks.Go(outer, 1) }, fault.InternalError},
	} {
		for depth := range 3 {
			inner := lingersAround(depth, step.Func(func(_ step.Scope, in int) (int, error) { c.use(); return in, nil }))
			around := step.New(func(as step.Scope, in int) step.Next[int] {
				outer = as //stepvet:ignore it is used while its step lasts
				as.State().Set("number", in)
				return step.Into(as, inner, in)
			})
			_, err := plantest.Run(t, around, 1)
			if fault.CodeOf(err) != c.code {
				t.Errorf("%s in %d parts: ended with %v, want %s", name, depth, err, c.code)
			}
		}
	}
}

// E7: a callback between two turns of the run isn't code of a step. What breaks a rule there has no effect.
func TestE7BetweenTwoTurns(t *testing.T) {
	text := step.NewVar[string]("number")
	tasks := flow.NewTasks[int, int]("none")
	for name, use := range map[string]func(as step.Scope){
		"Var":      func(as step.Scope) { text.Get(as) },
		"Tasks.Go": func(as step.Scope) { tasks.Go(as, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			plantest.WantResult(t, step.New(func(as step.Scope, in int) step.Next[int] {
				as.State().Set("number", in)
				return step.Wait(as, func(done step.Done[int]) {
					_, _ = as.Loop().Immediate(func() {
						use(as) //stepvet:ignore it is used while its step lasts
						done.Succeed(in)
					})
				})
			}), 1, 1)
		})
	}
}
