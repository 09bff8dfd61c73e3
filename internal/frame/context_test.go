package frame

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// C1: a context that a step gets only in its hook or its cleanup has ended. If the step is left it has ended with the
// cause.
func TestContextOfAStepBeingLeft(t *testing.T) {
	t.Run("in its hook", func(t *testing.T) {
		var ctx context.Context
		_ = runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
			f.SetCancel(func() { ctx = f.Context() })
			return f.Fail(errFirst)
		}))
		if cause := context.Cause(ctx); !errors.Is(cause, errFirst) {
			t.Errorf("its cause is %v", cause)
		}
	})
	t.Run("in its cleanup after failure", func(t *testing.T) {
		var ctx context.Context
		_ = runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
			f.Defer(func() { ctx = f.Context() })
			return f.Fail(errFirst)
		}))
		if cause := context.Cause(ctx); !errors.Is(cause, errFirst) {
			t.Errorf("its cause is %v", cause)
		}
	})
	t.Run("in its cleanup after success", func(t *testing.T) {
		_ = runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
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
		inner := callOp(inst, execOp(func(f *Frame) Verdict {
			f.SetCancel(lasts)
			f.Defer(lasts)
			return f.Fail(errFirst)
		}))
		_ = runOps(t, inst, execOp(func(f *Frame) Verdict { outer = f; return inner.Exec(f) }))
		if then.Err() == nil {
			t.Error("the context of the outer step outlives it")
		}
	})
}

// P5: the context that a body asks for is valid after a cleanup of the step before, and after the hook of a branch that a
// jump has left.
func TestContextOfTheNextStep(t *testing.T) {
	lasts := execOp(func(f *Frame) Verdict {
		if f.Context().Err() != nil {
			t.Error("the context has ended")
		}
		return Done
	})
	t.Run("after a cleanup", func(t *testing.T) {
		cleans := execOp(func(f *Frame) Verdict { f.Defer(func() {}); return Done })
		if err := runOps(t, new(Activation), cleans, lasts); err != nil {
			t.Error(err)
		}
	})
	t.Run("after the hook of a sibling of the branch that continues", func(t *testing.T) {
		inst, hooked := new(Activation), false
		hooks := execOp(func(f *Frame) Verdict {
			f.SetCancel(func() { hooked = true; panic("whatever") })
			return wait(f)
		})
		first := callOp(inst, forkOp(inst, hooks, jumpOp(&Jump{Again: true})))
		second := callOp(inst, lasts)
		if err := runOps(t, inst, &testOp{
			loop: true,
			exec: first.Exec,
			resume: func(f *Frame) Verdict {
				if f.Landed() == nil {
					return Done
				}
				return second.Exec(f)
			},
		}); err != nil || !hooked {
			t.Errorf("ended with %v, hooked is %t", err, hooked)
		}
	})
}

func TestContextAcrossBranches(t *testing.T) {
	inst := new(Activation)
	var around, fork context.Context
	branch := execOp(func(f *Frame) Verdict {
		if got := f.Outer(); got != fork {
			t.Error("the context of the forking step isn't found")
		}
		return Done
	})
	split := forkOp(inst, branch)
	forks := execOp(func(f *Frame) Verdict { fork = f.Context(); return split.Exec(f) })
	bare := forkOp(inst, execOp(func(f *Frame) Verdict {
		if got := f.Outer(); got != around {
			t.Error("the context of the step around is not found")
		}
		return Done
	}))
	inner := callOp(inst, forks, bare)
	if err := runOps(t, inst, execOp(func(f *Frame) Verdict {
		around = f.Context()
		return inner.Exec(f)
	}), execOp(func(f *Frame) Verdict {
		if f.Outer() != f.Run().Context() {
			t.Error("the context of the run isn't found")
		}
		return Done
	})); err != nil {
		t.Error(err)
	}
}

// C8: the deadline of a context is the nearest limit around it, also that of the step which has forked.
func TestDeadlineAcrossBranches(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	var got time.Time
	split := forkOp(inst, execOp(func(f *Frame) Verdict {
		got, _ = f.Context().Deadline()
		return Done
	}))
	forks := execOp(func(f *Frame) Verdict {
		f.SetTimeout(soon)
		return split.exec(f)
	})
	inner := callOp(inst, forks)
	if err := runOpsOn(t, loop, inst, execOp(func(f *Frame) Verdict {
		f.SetTimeout(later)
		return inner.exec(f)
	})); err != nil {
		t.Error(err)
	}
	if want := loop.Host().Time(soon); !got.Equal(want) {
		t.Errorf("the deadline is %v, want %v", got, want)
	}
}

// K1: a shield's context that is asked for late has ended already: if the shield hears, once its step is to be left,
// otherwise once the grace is over.
func TestLateContextInAShield(t *testing.T) {
	for _, hears := range []bool{true, false} {
		loop, inst := tooltest.New(), new(Activation)
		var told, over error
		steps := callOp(inst, execOp(func(f *Frame) Verdict {
			f.Run().Cancel(errFirst)
			return Done
		}), execOp(func(f *Frame) Verdict {
			if hears {
				told = context.Cause(f.Outer())
				return Done
			}
			f.SetCancel(func() { over = context.Cause(f.Outer()) })
			return wait(f)
		}))
		k := &Fork{Branches: make([]Branch, 1), shielding: shielding{Shield: Shield{Shields: true, Hears: hears}}}
		k.Branches[0].Enter(level(inst, steps))
		wantCode(t, runOpsOn(t, loop, inst, execOp(func(f *Frame) Verdict { return f.Fork(k) })), fault.Cancelled)
		if hears && told != error(errFirst) || !hears && over == nil {
			t.Errorf("hears is %t: the context has ended with %v, after the grace with %v", hears, told, over)
		}
	}
}
