package frame

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// A context that the machine has made is guarded already; the one that it is made of isn't.
func TestGuardOfACalmContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calm := struct{ Calm }{Calm{ctx}}
	if got := Guard(calm, Nobody); got != context.Context(calm) {
		t.Errorf("wrapped: %T", got)
	}
	if _, wrapped := Guard(ctx, Nobody).(*guarded); !wrapped {
		t.Error("one of the user's isn't wrapped")
	}
}

// C1: the context of a step that is being left has ended, with the cause, also if it was made only then.
func TestContextOfAStepBeingLeft(t *testing.T) {
	t.Run("in its hook", func(t *testing.T) {
		var ctx context.Context
		_ = play(t, new(Activation), does(func(f *Frame) Verdict {
			f.SetCancel(func() { ctx = f.Context() })
			return f.Fail(errFirst)
		}))
		if cause := context.Cause(ctx); !errors.Is(cause, errFirst) {
			t.Errorf("its cause is %v", cause)
		}
	})
	t.Run("in its cleanup after failure", func(t *testing.T) {
		var ctx context.Context
		_ = play(t, new(Activation), does(func(f *Frame) Verdict {
			f.Defer(func() { ctx = f.Context() })
			return f.Fail(errFirst)
		}))
		if cause := context.Cause(ctx); !errors.Is(cause, errFirst) {
			t.Errorf("its cause is %v", cause)
		}
	})
	t.Run("in its cleanup after success", func(t *testing.T) {
		_ = play(t, new(Activation), does(func(f *Frame) Verdict {
			f.Defer(func() {
				if f.Context().Err() == nil {
					t.Error("the context lasts")
				}
			})
			return Done
		}))
	})
	t.Run("but not that of a step further out", func(t *testing.T) {
		inst := new(Activation)
		var outer *Frame
		var then context.Context
		lasts := func() {
			then = outer.Context()
			if then.Err() != nil {
				t.Error("the context has ended")
			}
		}
		inner := hold(inst, does(func(f *Frame) Verdict {
			f.SetCancel(lasts)
			f.Defer(lasts)
			return f.Fail(errFirst)
		}))
		_ = play(t, inst, does(func(f *Frame) Verdict { outer = f; return inner.Exec(f) }))
		if then.Err() == nil {
			t.Error("the context of the outer step outlives it")
		}
	})
}

// P5: the context that a body asks for stays valid, whatever code has run before: a cleanup of the step before, or the
// hook of a branch that a signal has left.
func TestContextOfTheNextStep(t *testing.T) {
	lasts := does(func(f *Frame) Verdict {
		if f.Context().Err() != nil {
			t.Error("the context has ended")
		}
		return Done
	})
	t.Run("after a cleanup", func(t *testing.T) {
		cleans := does(func(f *Frame) Verdict { f.Defer(func() {}); return Done })
		if err := play(t, new(Activation), cleans, lasts); err != nil {
			t.Error(err)
		}
	})
	t.Run("after the hook of a sibling of the branch that continues", func(t *testing.T) {
		inst, hooked := new(Activation), false
		hooks := does(func(f *Frame) Verdict {
			f.SetCancel(func() { hooked = true; panic("whatever") })
			return wait(f)
		})
		first := hold(inst, splits(inst, hooks, leaves(&Signal{Again: true})))
		second := hold(inst, lasts)
		if err := play(t, inst, &scripted{
			loop: true,
			exec: first.Exec,
			resume: func(f *Frame) Verdict {
				if f.Signal() == nil {
					return Done
				}
				return second.Exec(f)
			},
		}); err != nil || !hooked {
			t.Errorf("ended with %v, hooked is %t", err, hooked)
		}
	})
}

// A branch finds the contexts of the steps around it.
func TestContextAcrossStrands(t *testing.T) {
	inst := new(Activation)
	var around, fork context.Context
	branch := does(func(f *Frame) Verdict {
		if got := f.Outer(); got != fork {
			t.Error("the context of the forking step isn't found")
		}
		return Done
	})
	split := splits(inst, branch)
	forks := does(func(f *Frame) Verdict { fork = f.Context(); return split.Exec(f) })
	bare := splits(inst, does(func(f *Frame) Verdict {
		if got := f.Outer(); got != around {
			t.Error("the context of the step around is not found")
		}
		return Done
	}))
	inner := hold(inst, forks, bare)
	if err := play(t, inst, does(func(f *Frame) Verdict {
		around = f.Context()
		return inner.Exec(f)
	}), does(func(f *Frame) Verdict {
		if f.Outer() != f.Run().Context() {
			t.Error("the context of the run isn't found")
		}
		return Done
	})); err != nil {
		t.Error(err)
	}
}

// panicking is a context whose Err panics.
type panicking struct{ context.Context }

func (panicking) Err() error { panic("no answer") }

// A context that panics when it is asked has broken: it has not ended as one that was cancelled.
func TestEndOfABrokenContext(t *testing.T) {
	over, cancel := context.WithCancelCause(t.Context())
	cancel(errFirst)
	for name, test := range map[string]struct {
		ctx  context.Context
		want End
	}{
		"lasts":     {t.Context(), End{}},
		"cancelled": {over, End{Cause: errFirst}},
	} {
		if got := EndOf(test.ctx); got != test.want {
			t.Errorf("%s: got %+v, want %+v", name, got, test.want)
		}
	}
	end := EndOf(panicking{t.Context()})
	if p := (*fault.Panic)(nil); !end.Broken || end.Late || !errors.As(end.Cause, &p) || p.Value != "no answer" {
		t.Errorf("panics: got %+v", end)
	}
}

// counted is a context that counts the calls of its Err, which panics.
type counted struct {
	context.Context
	asked int
}

func (c *counted) Err() error { c.asked++; panic("no answer") }

// A context that has panicked in Err has ended, with an error that says so, and isn't asked again. Without a host that
// is logged.
func TestGuardOfAContextThatPanics(t *testing.T) {
	var log bytes.Buffer
	was := slog.Default()
	defer slog.SetDefault(was)
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))

	c := &counted{Context: t.Context()}
	ctx := Guard(c, nil)
	first, second := ctx.Err(), ctx.Err()
	if p := (*fault.Panic)(nil); !errors.As(first, &p) || second != first || c.asked != 1 {
		t.Errorf("ended with %v, and then with %v; asked %d times", first, second, c.asked)
	}
	if s := log.String(); strings.Count(s, "\n") != 1 || !strings.Contains(s, "no answer") {
		t.Errorf("logged: %s", s)
	}
}

// gone is a context of the user's, whose Err ends the goroutine.
type gone struct {
	context.Context
	done chan struct{}
}

func (c gone) Done() <-chan struct{} { return c.done }
func (gone) Err() error              { runtime.Goexit(); return nil }

// A context whose Err ends the goroutine still ends those that were made from it.
func TestGuardOfAContextThatEndsItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := gone{t.Context(), make(chan struct{})}
		child, free := context.WithCancel(Guard(c, tool.NewHost(tool.TurnLimits{}, tool.WithOnError(func(error) {}))))
		defer free()
		close(c.done)
		synctest.Wait()
		if child.Err() == nil {
			t.Error("the child lasts")
		}
	})
}

// worthless is a context whose Value panics.
type worthless struct{ context.Context }

func (worthless) Value(any) any { panic("no value") }

// A value that can't be had is nil, and that is reported.
func TestValueOfAContextThatPanics(t *testing.T) {
	loop := tooltest.New()
	value := ValueOf(worthless{t.Context()}, loop.Host(), "key")
	if errs := loop.Errors(); value != nil || len(errs) != 1 || !strings.Contains(errs[0].Error(), "no value") {
		t.Errorf("got %v, reported are %v", value, errs)
	}
}

// C8: the deadline of a context is the nearest limit around it, also that of the step which has forked.
func TestDeadlineAcrossBranches(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	var got time.Time
	split := splits(inst, does(func(f *Frame) Verdict {
		got, _ = f.Context().Deadline()
		return Done
	}))
	forks := does(func(f *Frame) Verdict {
		f.SetTimeout(soon)
		return split.exec(f)
	})
	inner := hold(inst, forks)
	if err := playOn(t, loop, inst, does(func(f *Frame) Verdict {
		f.SetTimeout(later)
		return inner.exec(f)
	})); err != nil {
		t.Error(err)
	}
	if want := loop.Host().Time(soon); !got.Equal(want) {
		t.Errorf("the deadline is %v, want %v", got, want)
	}
}

// K1: a context that a shielded step asks for only after it was to be left has ended as one that it had before: with a
// shield that hears at once, otherwise when the grace is over.
func TestLateContextInAShield(t *testing.T) {
	for _, hears := range []bool{true, false} {
		loop, inst := tooltest.New(), new(Activation)
		var told, over error
		steps := hold(inst, does(func(f *Frame) Verdict {
			f.Run().Cancel(errFirst)
			return Done
		}), does(func(f *Frame) Verdict {
			if hears {
				told = context.Cause(f.Outer())
				return Done
			}
			f.SetCancel(func() { over = context.Cause(f.Outer()) })
			return wait(f)
		}))
		k := &Fork{Branches: make([]Branch, 1), shielding: shielding{Shield: Shield{Shields: true, Hears: hears}}}
		k.Branches[0].Enter(level(inst, steps))
		coded(t, playOn(t, loop, inst, does(func(f *Frame) Verdict { return f.Fork(k) })), fault.Cancelled)
		if hears && told != error(errFirst) || !hears && over == nil {
			t.Errorf("hears is %t: the context has ended with %v, after the grace with %v", hears, told, over)
		}
	}
}
