package step_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestSetTimeout(t *testing.T) {
	type next = step.Next[int]
	for _, c := range []struct {
		name string
		body func(as step.Scope, in int) next
		at   time.Duration
		code fault.Code
		info string
	}{
		{"C3 it covers the sub-steps", func(as step.Scope, in int) next {
			as.SetTimeout(time.Second)
			return step.Into(as, step.New(func(as step.Scope, _ int) next { return step.Wait[int](as, nil) }), in)
		}, time.Second, fault.Timeout, "step 0 took longer than 1s"},
		{"C4 setting it again replaces it", func(as step.Scope, _ int) next {
			as.SetTimeout(time.Second)
			as.SetTimeout(time.Minute)
			return step.Next[int]{}
		}, time.Minute, fault.Timeout, "step 0 took longer than 1m0s"},
		{"C4 a shorter one too", func(as step.Scope, _ int) next {
			as.SetTimeout(time.Minute)
			as.SetTimeout(time.Second)
			return step.Next[int]{}
		}, time.Second, fault.Timeout, "step 0 took longer than 1s"},
		{"C5 success disarms it", func(as step.Scope, in int) next {
			as.SetTimeout(time.Second)
			return step.Succeed(in)
		}, 0, "", ""},
		{"C5 so does success from outside in time", func(as step.Scope, in int) next {
			as.SetTimeout(time.Minute)
			return step.Wait(as, func(done step.Done[int]) {
				as.Loop().Deferred(time.Second, func() { done.Succeed(in) })
			})
		}, time.Second, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := tooltest.New()
			r := flow.Start(t.Context(), l, step.New(c.body), 1)
			l.Run()
			if _, err := r.Result(); fault.CodeOf(err) != c.code || c.info != "" && fault.InfoOf(err) != c.info {
				t.Errorf("ended with %v", err)
			}
			if l.Now() != c.at {
				t.Errorf("ended at %v, want %v", l.Now(), c.at)
			}
		})
	}
}

func TestSetCancel(t *testing.T) {
	var calls []string
	hook := func(name string) func() { return func() { calls = append(calls, name) } }
	for _, c := range []struct {
		name string
		body func(as step.Scope, in int) step.Next[int]
		want []string
	}{
		{"C2 not after success", func(as step.Scope, in int) step.Next[int] {
			as.SetCancel(hook("a"))
			return step.Succeed(in)
		}, nil},
		{"after an error", func(as step.Scope, _ int) step.Next[int] {
			as.SetCancel(hook("a"))
			return step.Fail[int](errBad)
		}, []string{"a"}},
		{"C4 setting it again replaces it", func(as step.Scope, _ int) step.Next[int] {
			as.SetCancel(hook("a"))
			as.SetCancel(hook("b"))
			return step.Fail[int](errBad)
		}, []string{"b"}},
		{"C4 waiting set after a hook keeps it", func(as step.Scope, _ int) step.Next[int] {
			as.SetCancel(hook("a"))
			return step.Wait(as, func(done step.Done[int]) { done.Fail(errBad) })
		}, []string{"a"}},
		{"set in begin", func(as step.Scope, _ int) step.Next[int] {
			return step.Wait(as, func(done step.Done[int]) {
				as.SetCancel(hook("a"))
				done.Fail(errBad)
			})
		}, []string{"a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls = nil
			plantest.Run(t, step.New(c.body), 1)
			if diff := cmp.Diff(c.want, calls); diff != "" {
				t.Errorf("hooks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestContext(t *testing.T) {
	type key struct{}
	root := context.WithValue(t.Context(), key{}, "root")
	var seen, inner context.Context
	keep := func(err error) step.Step[int, int] {
		return step.New(func(as step.Scope, in int) step.Next[int] {
			seen = as.Context()
			if seen != as.Context() {
				t.Error("it is another context each time")
			}
			return step.Into(as, step.Func(func(as step.Scope, in int) (int, error) {
				inner = as.Context()
				return in, err
			}), in)
		})
	}
	run := func(s step.Step[int, int]) {
		l := tooltest.New()
		flow.Start(root, l, flow.Then(s, step.Map(func(i int) int {
			if seen.Err() == nil {
				t.Error("the context outlives its step")
			}
			return i
		})), 1)
		l.Run()
	}
	t.Run("ends with the step's success", func(t *testing.T) {
		run(keep(nil))
		if seen.Value(key{}) != "root" || inner.Value(key{}) != "root" {
			t.Error("the values are lost")
		}
		if context.Cause(seen) != context.Canceled || context.Cause(inner) != context.Canceled {
			t.Errorf("ended with %v, %v", context.Cause(seen), context.Cause(inner))
		}
	})
	t.Run("ends with the step's error as cause", func(t *testing.T) {
		run(keep(errBad))
		if !errors.Is(context.Cause(seen), errBad) || !errors.Is(context.Cause(inner), errBad) {
			t.Errorf("ended with %v, %v", context.Cause(seen), context.Cause(inner))
		}
	})
	t.Run("ends with a timeout", func(t *testing.T) {
		run(flow.Timeout(time.Second, step.New(func(as step.Scope, _ int) step.Next[int] {
			seen = as.Context()
			return step.Wait[int](as, nil)
		})))
		if !errors.Is(context.Cause(seen), fault.Timeout) {
			t.Errorf("ended with %v", context.Cause(seen))
		}
	})
	t.Run("of a branch derives from the step around it", func(t *testing.T) {
		plantest.WantResult(t, step.New(func(as step.Scope, in int) step.Next[bool] {
			outer := context.WithValue(as.Context(), key{}, 1)
			_ = outer
			seen = as.Context()
			return step.Into(as, flow.Then(flow.Par(step.Func(func(as step.Scope, _ int) (bool, error) {
				inner = as.Context()
				return inner != seen, nil
			})), step.Map(func(all []bool) bool { return all[0] })), in)
		}), 1, true)
	})
}

func TestPathAndTrace(t *testing.T) {
	var path string
	var trace []fault.Frame
	look := flow.Named("look", step.Func(func(as step.Scope, in int) (int, error) {
		path, trace = as.Path(), as.Trace()
		if v, ok := as.State().Get(step.AsyncStack); !ok || !cmp.Equal(v, any(trace)) {
			t.Errorf("the state's stack is %v", v)
		}
		return in, nil
	}))
	id := step.Map(func(i int) int { return i })
	plantest.WantResult(t, flow.Then(id, flow.Then(
		flow.Named("fork", flow.Par(id, flow.Then(id, flow.Call(flow.Timeout(time.Second, flow.Then(id, look)))))),
		step.Map(func(all []int) int { return all[1] }))), 3, 3)
	if path != "1/par.1/1/0/1" {
		t.Errorf("the path is %q", path)
	}
	want := []fault.Frame{
		{Path: "1/par.1/1/0/1", Name: "look", Kind: "func"},
		{Path: "1/par.1/1/0", Kind: "timeout"},
		{Path: "1/par.1/1", Kind: "call"},
		{Path: "1", Name: "fork", Kind: "par"},
	}
	if diff := cmp.Diff(want, trace, cmpopts.IgnoreFields(fault.Frame{}, "Site")); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

func TestLoop(t *testing.T) {
	l := tooltest.New()
	var got any
	flow.Start(t.Context(), l, step.Func(func(as step.Scope, in int) (int, error) {
		got = as.Loop()
		return in, nil
	}), 1)
	l.Run()
	if got != any(l) {
		t.Errorf("got %v", got)
	}
	alone := step.Func(func(as step.Scope, in int) (int, error) {
		if as.Loop() == nil || !as.Loop().InLoop() {
			t.Error("Run's body isn't on its loop")
		}
		return in, nil
	})
	if _, err := flow.Run(t.Context(), alone, 1); err != nil {
		t.Error(err)
	}
}

// A run of flow.Run that asks for the time gets that of the process, and no loop is made for it.
func TestNowMakesNoLoop(t *testing.T) {
	before := time.Now()
	s := step.Func(func(as step.Scope, _ int) (bool, error) {
		if now := as.Now(); now.Before(before) || now.After(time.Now()) {
			t.Errorf("now is %v, which isn't after %v", now, before)
		}
		return as.Place().Ref().Run().Looped(), nil
	})
	if looped, err := flow.Run(t.Context(), s, 1); looped || err != nil {
		t.Errorf("there is a loop: %v, %v", looped, err)
	}
}

// A callback of the loop that breaks a rule while the step waits is told so; the step goes on.
func TestScopeIsMisusedByACallback(t *testing.T) {
	loop := tooltest.New()
	run := flow.Start(t.Context(), loop, step.New(func(as step.Scope, in int) step.Next[int] {
		return step.Wait(as, func(done step.Done[int]) {
			if _, err := loop.Immediate(func() {
				if as.SetTimeout(0) || as.SetCancel(nil) {
					t.Error("a limit of 0, or a nil hook, is taken")
				}
				done.Succeed(in)
			}); err != nil {
				t.Error(err)
			}
		})
	}), 1)
	loop.Run()
	if v, err := run.Result(); v != 1 || err != nil {
		t.Errorf("got %d, %v", v, err)
	}
	if errs := loop.Errors(); len(errs) != 2 || fault.CodeOf(errs[0]) != fault.InvalidRequest || fault.CodeOf(errs[1]) != fault.InvalidRequest {
		t.Errorf("reported %v", errs)
	}
}
