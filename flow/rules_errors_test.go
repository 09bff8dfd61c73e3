package flow_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Tests of the rules E. E4 is in rules_panic_test.go, E7 in rules_violation_test.go and rules_violation_stale_test.go.

var errBad = fault.New("Bad", "it went wrong")

// level returns a step around inner with a hook, a handler, cleanups and a limit.
func (rec *recorder) level(name string, l *tooltest.Loop, inner step.Step[none, none], answer func(as step.Scope, err error) step.Next[none]) step.Step[none, none] {
	return flow.Catch(
		step.New(func(as step.Scope, _ none) step.Next[none] {
			rec.Recordf("%s body", name)
			as.SetTimeout(time.Hour)
			as.SetCancel(func() { rec.Recordf("%s hook, %d timers", name, l.Pending()) })
			step.StackCleanup(as, func(*none) { rec.Recordf("%s first allocated", name) })
			step.StackCleanup(as, func(*none) { rec.Recordf("%s last allocated", name) })
			return step.Into(as, inner, none{})
		}),
		func(as step.Scope, err error) step.Next[none] {
			rec.Recordf("%s handler: %s", name, fault.CodeOf(err))
			return answer(as, err)
		})
}

func unwind(step.Scope, error) step.Next[none] { return step.Unwind[none]() }

func TestE1(t *testing.T) {
	t.Run("E1 timer, hook, handler, cleanups, leaf to root", func(t *testing.T) {
		var rec recorder
		l := tooltest.New()
		inner := rec.level("inner", l, flow.Chain(rec.failing("fails", errBad), rec.step("dropped")), unwind)
		outer := rec.level("outer", l, flow.Chain(inner, rec.step("dropped")), unwind)
		r := flow.Start(t.Context(), l, flow.Chain(outer, rec.step("dropped")), none{})
		l.Run()
		if _, err := r.Result(); !errors.Is(err, errBad) {
			t.Errorf("ended with %v", err)
		}
		rec.Want(t,
			"outer body", "inner body", "fails",
			"inner hook, 1 timers", "inner handler: Bad", "inner last allocated", "inner first allocated",
			"outer hook, 0 timers", "outer handler: Bad", "outer last allocated", "outer first allocated",
		)
		if l.Now() != 0 {
			t.Errorf("a timer was left, time is %v", l.Now())
		}
	})
	t.Run("E1 the hook never runs after its step's success", func(t *testing.T) {
		var rec recorder
		hooked := step.New(func(as step.Scope, _ none) step.Next[none] {
			as.SetCancel(func() { rec.Recordf("hook") })
			return step.Succeed(none{})
		})
		_, err := plantest.Run(t, flow.Chain(hooked, rec.failing("fails", errBad)), none{})
		plantest.WantCode(t, err, "Bad")
		rec.Want(t, "fails")
	})
	t.Run("E1 a level that recovers cleans after its handler, before its next step", func(t *testing.T) {
		var rec recorder
		l := tooltest.New()
		flow.Start(t.Context(), l, flow.Chain(
			rec.level("one", l, rec.failing("fails", errBad), func(step.Scope, error) step.Next[none] { return step.Succeed(none{}) }),
			rec.step("next"),
		), none{})
		l.Run()
		rec.Want(t, "one body", "fails", "one hook, 0 timers", "one handler: Bad",
			"one last allocated", "one first allocated", "next")
	})
	t.Run("E1 the context of the step has ended when its hook and its handler run, with the error as cause", func(t *testing.T) {
		var ctx context.Context
		var inHook error
		plantest.WantResult(t, flow.Catch(
			step.Func(func(as step.Scope, _ none) (none, error) {
				ctx = as.Context()
				as.SetCancel(func() { inHook = context.Cause(ctx) })
				return none{}, errBad
			}),
			func(step.Scope, error) step.Next[none] {
				if !errors.Is(context.Cause(ctx), errBad) {
					t.Errorf("in the handler the cause is %v", context.Cause(ctx))
				}
				return step.Succeed(none{})
			}), none{}, none{})
		if !errors.Is(inHook, errBad) {
			t.Errorf("in the hook the cause is %v", inHook)
		}
	})
}

func TestE2(t *testing.T) {
	other := fault.New("Other", "")
	later := func(as step.Scope, end func(step.Done[none])) step.Next[none] {
		return step.Wait(as, func(done step.Done[none]) { as.Loop().Deferred(time.Second, func() { end(done) }) })
	}
	var rec recorder
	for _, c := range []struct {
		name   string
		answer func(as step.Scope, err error) step.Next[none]
		want   []string
		code   fault.Code
	}{
		{"E2 recovers with a value", func(step.Scope, error) step.Next[none] { return step.Succeed(none{}) },
			[]string{"inner: Bad", "next of inner", "next of outer"}, ""},
		{"E2 fails with another error", func(step.Scope, error) step.Next[none] { return step.Fail[none](other) },
			[]string{"inner: Bad", "outer: Other"}, "Other"},
		{"E2 stays silent", func(step.Scope, error) step.Next[none] { return step.Next[none]{} },
			[]string{"inner: Bad", "outer: Bad"}, "Bad"},
		{"E2 unwinds", unwind,
			[]string{"inner: Bad", "outer: Bad"}, "Bad"},
		{"E2 fails with the same error", func(_ step.Scope, err error) step.Next[none] { return step.Fail[none](err) },
			[]string{"inner: Bad", "outer: Bad"}, "Bad"},
		{"E2 adds sub-steps", func(as step.Scope, _ error) step.Next[none] {
			return step.Into(as, flow.Chain(rec.step("sub 1"), rec.step("sub 2")), none{})
		}, []string{"inner: Bad", "sub 1", "sub 2", "next of inner", "next of outer"}, ""},
		{"E2 an error of its sub-steps goes outwards", func(as step.Scope, _ error) step.Next[none] {
			return step.Into(as, rec.failing("sub", other), none{})
		}, []string{"inner: Bad", "sub", "outer: Other"}, "Other"},
		{"E2 the sub-steps have handlers of their own", func(as step.Scope, _ error) step.Next[none] {
			return step.Into(as, flow.Catch(rec.failing("sub", other), func(_ step.Scope, err error) step.Next[none] {
				rec.Recordf("sub: %s", fault.CodeOf(err))
				return step.Succeed(none{})
			}), none{})
		}, []string{"inner: Bad", "sub", "sub: Other", "next of inner", "next of outer"}, ""},
		{"E2 waits for success", func(as step.Scope, _ error) step.Next[none] {
			return later(as, func(done step.Done[none]) { rec.Recordf("now"); done.Succeed(none{}) })
		}, []string{"inner: Bad", "now", "next of inner", "next of outer"}, ""},
		{"E2 waits for an error", func(as step.Scope, _ error) step.Next[none] {
			return later(as, func(done step.Done[none]) { rec.Recordf("now"); done.Fail(other) })
		}, []string{"inner: Bad", "now", "outer: Other"}, "Other"},
		{"E2 sets a limit and a hook, and stays silent", func(as step.Scope, _ error) step.Next[none] {
			as.SetTimeout(time.Second)
			as.SetCancel(func() { rec.Recordf("hook") })
			step.StackCleanup(as, func(*int) { rec.Recordf("cleanup") })
			return step.Next[none]{} // the zero Next, which in a handler means no answer
		}, []string{"inner: Bad", "cleanup", "outer: Bad"}, "Bad"},
		{"E2 sets a hook and fails with another error", func(as step.Scope, _ error) step.Next[none] {
			as.SetCancel(func() { rec.Recordf("hook") })
			return step.Fail[none](other)
		}, []string{"inner: Bad", "outer: Other"}, "Other"},
		{"E2 sets a hook and panics", func(as step.Scope, _ error) step.Next[none] {
			as.SetCancel(func() { rec.Recordf("hook") })
			panic("at the disco")
		}, []string{"inner: Bad", "outer: InternalError"}, fault.InternalError},
		{"E2 limits its sub-steps", func(as step.Scope, _ error) step.Next[none] {
			as.SetTimeout(time.Second)
			as.SetCancel(func() { rec.Recordf("hook") })
			return step.Into(as, rec.waiting("sub hook"), none{})
		}, []string{"inner: Bad", "sub hook", "hook", "outer: Timeout"}, fault.Timeout},
	} {
		for _, shape := range []string{"fused with a step", "around steps", "around sub-steps"} {
			t.Run(c.name+", "+shape, func(t *testing.T) {
				rec = recorder{}
				fails := step.Func(func(step.Scope, none) (none, error) { return none{}, errBad })
				var guarded step.Step[none, none]
				switch shape {
				case "fused with a step":
					guarded = fails
				case "around steps":
					guarded = flow.Chain(step.Map(func(n none) none { return n }), fails, rec.step("dropped"))
				case "around sub-steps":
					guarded = step.New(func(as step.Scope, _ none) step.Next[none] { return step.Into(as, fails, none{}) })
				}
				inner := flow.Catch(guarded, func(as step.Scope, err error) step.Next[none] {
					rec.Recordf("inner: %s", fault.CodeOf(err))
					return c.answer(as, err)
				})
				outer := flow.Catch(flow.Chain(inner, rec.step("next of inner")), func(_ step.Scope, err error) step.Next[none] {
					rec.Recordf("outer: %s", fault.CodeOf(err))
					return step.Unwind[none]()
				})
				p := flow.Chain(outer, rec.step("next of outer"))
				for range 2 { // the second run may use the memory of the first one
					rec = recorder{}
					_, err := plantest.Run(t, p, none{})
					rec.Want(t, c.want...)
					if fault.CodeOf(err) != c.code {
						t.Errorf("ended with %v, want code %q", err, c.code)
					}
				}
			})
		}
	}
	t.Run("E2 the result of the handler's sub-steps is the step's", func(t *testing.T) {
		fails := step.Func(func(step.Scope, int) (int, error) { return 0, errBad })
		double := step.Map(func(i int) int { return 2 * i })
		plantest.WantResult(t, flow.Then(flow.Catch(fails, func(as step.Scope, _ error) step.Next[int] {
			return step.Into(as, flow.Chain(double, double), 10)
		}), step.Map(func(i int) int { return i + 1 })), 1, 41)
	})
	t.Run("E2 handlers around one step: each is asked once, inside out", func(t *testing.T) {
		var rec recorder
		p := flow.Of(rec.failing("fails", errBad))
		for i := range 3 {
			p = flow.Catch(p, func(_ step.Scope, err error) step.Next[none] {
				rec.Recordf("%d: %s", i, fault.CodeOf(err))
				return step.Fail[none](fault.Code(fmt.Sprintf("E%d", i)))
			})
		}
		_, err := plantest.Run(t, p, none{})
		plantest.WantCode(t, err, "E2")
		rec.Want(t, "fails", "0: Bad", "1: E0", "2: E1")
	})
}

func TestE3(t *testing.T) {
	info := func(as step.Scope) string {
		v, ok := as.State().Get(step.ErrorInfo)
		if !ok {
			return "none"
		}
		return fmt.Sprintf("%q", v)
	}
	last := func(as step.Scope) error {
		v, _ := as.State().Get(step.LastException)
		err, _ := v.(error)
		return err
	}
	mend := func(step.Scope, error) step.Next[none] { return step.Succeed(none{}) }
	fails := func(err error) step.Step[none, none] {
		return step.Func(func(step.Scope, none) (none, error) { return none{}, err })
	}
	var rec recorder
	peek := step.Func(func(as step.Scope, _ none) (none, error) {
		rec.Recordf("info %s, last %v", info(as), last(as) != nil)
		return none{}, nil
	})

	t.Run("E3 a handler sees code, info and cause", func(t *testing.T) {
		cause := fs.ErrNotExist
		plantest.WantResult(t, flow.Catch(fails(fault.Wrap("Bad", "no file", cause)), func(as step.Scope, err error) step.Next[none] {
			if fault.CodeOf(err) != "Bad" || fault.InfoOf(err) != "no file" || !errors.Is(err, cause) {
				t.Errorf("the handler sees %v", err)
			}
			if info(as) != `"no file"` || !errors.Is(last(as), cause) {
				t.Errorf("the state says %s, %v", info(as), last(as))
			}
			return step.Succeed(none{})
		}), none{}, none{})
	})
	t.Run("E3 error_info stays after recovery until the next error", func(t *testing.T) {
		rec = recorder{}
		plantest.WantResult(t, flow.Chain(
			peek,
			flow.Catch(fails(errBad), mend), peek, peek,
			flow.Catch(fails(fault.Code("Bare")), mend), peek,
			flow.Catch(fails(fault.New("New", "newer")), mend), peek,
		), none{}, none{})
		rec.Want(t,
			`info none, last false`,
			`info "it went wrong", last true`, `info "it went wrong", last true`,
			`info none, last true`, // an error without info clears error_info
			`info "newer", last true`,
		)
	})
	t.Run("E3 a hook that the error of a handler passes sees that error", func(t *testing.T) {
		rec = recorder{}
		replaced := flow.Catch(fails(errBad), func(step.Scope, error) step.Next[none] { return step.Fail[none](fault.New("X", "replaced")) })
		_, err := plantest.Run(t, flow.OnCancel(replaced, func(as step.Scope) { rec.Recordf("info %s, code %s", info(as), fault.CodeOf(last(as))) }), none{})
		plantest.WantCode(t, err, "X")
		rec.Want(t, `info "replaced", code X`)
	})
	t.Run("E3 an error that replaces another is the last one", func(t *testing.T) {
		rec = recorder{}
		plantest.WantResult(t, flow.Catch(
			flow.Catch(fails(errBad), func(step.Scope, error) step.Next[none] { return step.Fail[none](fault.New("X", "replaced")) }),
			func(as step.Scope, _ error) step.Next[none] {
				rec.Recordf("%s", info(as))
				return step.Succeed(none{})
			}), none{}, none{})
		rec.Want(t, `"replaced"`)
	})
	t.Run("E3 a panic sets the last exception", func(t *testing.T) {
		plantest.WantResult(t, flow.Chain(
			flow.Catch(step.Map(func(none) none { panic("boom") }), mend),
			step.Func(func(as step.Scope, _ none) (none, error) {
				p, ok := errors.AsType[*fault.Panic](last(as))
				if !ok || p.Value != "boom" {
					t.Errorf("last exception is %v", last(as))
				}
				return none{}, nil
			}),
		), none{}, none{})
	})
	t.Run("E3 the three variables can't be set", func(t *testing.T) {
		plantest.WantResult(t, step.Func(func(as step.Scope, _ none) (none, error) {
			for _, key := range []string{step.ErrorInfo, step.LastException, step.AsyncStack} {
				if as.State().Set(key, "mine") {
					t.Errorf("%s was set", key)
				}
			}
			return none{}, nil
		}), none{}, none{})
	})
}

func TestE5(t *testing.T) {
	t.Run("E5 without a handler the run ends with the error", func(t *testing.T) {
		l := tooltest.New()
		r := flow.Start(t.Context(), l, step.Func(func(step.Scope, none) (none, error) { return none{}, errBad }), none{})
		l.Run()
		_, err := r.Result()
		if !errors.Is(err, errBad) || len(l.Errors()) != 0 {
			t.Errorf("ended with %v, reported %v", err, l.Errors())
		}
		next := flow.Start(t.Context(), l, flow.Value[none](1), none{})
		l.Run()
		if v, err := next.Result(); v != 1 || err != nil {
			t.Errorf("the next run on that loop gave %d, %v", v, err)
		}
	})
}

type myError struct{ n int }

func (e *myError) Error() string { return fmt.Sprintf("my error %d", e.n) }

func TestE6(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		code fault.Code
		info string
	}{
		{"E6 a plain error is InternalError", fs.ErrNotExist, fault.InternalError, "file does not exist"},
		{"E6 a wrapped one too", fmt.Errorf("open: %w", fs.ErrNotExist), fault.InternalError, "open: file does not exist"},
		{"E6 one that carries a code keeps it", fmt.Errorf("again: %w", errBad), "Bad", "it went wrong"},
		{"E6 a bare code", fault.Unauthorized, fault.Unauthorized, ""},
		{"E6 a joined one has the first code", errors.Join(fs.ErrClosed, errBad), "Bad", "it went wrong"},
		{"E6 a context's deadline is Timeout", context.DeadlineExceeded, fault.Timeout, ""},
		{"E6 a type of the program", &myError{7}, fault.InternalError, "my error 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var handled error
			_, err := plantest.Run(t, flow.Catch(step.Func(func(step.Scope, none) (none, error) { return none{}, c.err }),
				func(_ step.Scope, err error) step.Next[none] {
					handled = err
					return step.Unwind[none]()
				}), none{})
			if handled != c.err {
				t.Errorf("the handler sees %v, want %v unchanged", handled, c.err)
			}
			e := plantest.WantCode(t, err, c.code)
			if c.info != "" && e.Info != c.info {
				t.Errorf("info is %q, want %q", e.Info, c.info)
			}
			if !errors.Is(err, c.err) || !errors.Is(err, c.code) {
				t.Errorf("errors.Is doesn't reach %v in %v", c.err, err)
			}
			if want, ok := c.err.(*myError); ok {
				if got, ok := errors.AsType[*myError](err); !ok || got != want {
					t.Errorf("errors.As found %v", got)
				}
			}
			if text := c.err.Error(); c.info == text && strings.Count(err.Error(), text) != 1 {
				t.Errorf("printed %q, want the text once", err)
			}
		})
	}
}
