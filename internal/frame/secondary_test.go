package frame

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// E3, E4: an error that was recovered is dropped with the errors that it met: they aren't secondary errors of the next
// error.
func TestRecoveredErrorIsForgotten(t *testing.T) {
	meets := &testOp{
		exec: func(f *Frame) Verdict {
			f.SetCancel(func() { breakRule(f) })
			return f.Fail(errFirst)
		},
		handle: func(f *Frame, err error) Verdict {
			if e, ok := err.(*fault.Error); !ok || len(e.Secondary) != 1 {
				t.Errorf("the handler has got %v, want a secondary error in it", err)
			}
			return Done
		},
	}
	if e := wantCode(t, runOps(t, new(Activation), meets, failOp(errSecond)), "Second"); len(e.Secondary) != 0 {
		t.Errorf("secondary errors of a recovered one: %v", e.Secondary)
	}
}

// C1: the trail of a recovered error isn't part of the trail of a later cancel.
func TestCancelAfterARecoveredError(t *testing.T) {
	recovers := callOp(new(Activation), failOp(errFirst))
	recovers.handle = func(*Frame, error) Verdict { return Done }
	e := wantCode(t, runOps(t, new(Activation), recovers, execOp(func(f *Frame) Verdict {
		f.Run().Cancel(nil)
		return wait(f)
	})), fault.Cancelled)
	if len(e.Unwind) != 1 || e.Unwind[0].Path != "1" {
		t.Errorf("the cancel has left %v, want the step that waited", e.Unwind)
	}
}

// C1, O7: a wait fails, the run is cancelled, and a limit around the wait passes, all before the step goes on. The error
// of the wait is kept as a secondary error.
func TestErrorOfAWaitIsKeptFirst(t *testing.T) {
	loop, inst := tooltest.New(), new(Activation)
	slot, gen := new(Wait), uint64(0)
	limited := callOp(inst, &testOp{
		exec: func(f *Frame) Verdict {
			gen = slot.Open(f)
			return Waiting
		},
		resume: func(f *Frame) Verdict { return f.Fail(slot.Close(f)) },
	})
	enter, passes := limited.exec, func() {}
	limited.exec = func(f *Frame) Verdict {
		f.SetTimeout(soon)
		passes = f.resources.fire
		return enter(f)
	}
	run := startRun(t, loop, inst, limited)
	loop.Advance(0)
	slot.Claim(gen)
	slot.Complete(errFirst)
	run.Cancel(nil)
	passes()
	loop.Run()
	e := wantCode(t, run.Result(), fault.Cancelled)
	if len(e.Secondary) != 1 || e.Secondary[0] != errFirst {
		t.Errorf("secondary errors %v", e.Secondary)
	}
}

// C3, C7: a goroutine fails its step. Before the loop looks at that, a limit around the step passes and the run is
// cancelled. The error of the goroutine is kept, before that of the limit.
func TestErrorOfAGoroutineIsKeptFirst(t *testing.T) {
	loop, inst := tooltest.New(), new(Activation)
	slot, gen, around := new(Wait), uint64(0), (*Frame)(nil)
	inner := callOp(inst, execOp(func(f *Frame) Verdict {
		gen = slot.Hire(f, func(error) {}, -1)
		return Waiting
	}))
	run := startRun(t, loop, inst, execOp(func(f *Frame) Verdict {
		around = f
		return inner.exec(f)
	}))
	loop.Advance(0)
	slot.Claim(gen)
	slot.Complete(errFirst)
	run.cut(around, errSecond, false)
	run.Cancel(nil)
	loop.Advance(0)
	slot.Finish(gen)
	loop.Run()
	e := wantCode(t, run.Result(), fault.Cancelled)
	if !slices.Equal(e.Secondary, []error{errFirst, errSecond}) {
		t.Errorf("secondary errors %v", e.Secondary)
	}
}

func TestLostBreakIsTheLastError(t *testing.T) {
	err := runOps(t, new(Activation), &testOp{
		exec: func(f *Frame) Verdict { return f.Jump(&Jump{}) },
		handle: func(f *Frame, err error) Verdict {
			if last := f.Run().Last(); last != err || fault.CodeOf(last) != fault.InternalError {
				t.Errorf("the last error is %v, want %v", last, err)
			}
			return Done
		},
	})
	if err != nil {
		t.Error(err)
	}
}

// L1: errors that a break has met on its way are reported, because there is no error to join them to, and dropped.
func TestBreakForgetsWhatItMet(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	body := callOp(inst, execOp(func(f *Frame) Verdict {
		f.SetCancel(func() { breakRule(f) })
		return f.Jump(&Jump{})
	}))
	turns := &testOp{loop: true, exec: body.exec, resume: func(f *Frame) Verdict { f.Landed(); return Done }}
	if e := wantCode(t, runOpsOn(t, loop, inst, turns, failOp(errFirst)), "First"); len(e.Secondary) != 0 {
		t.Errorf("secondary errors of a break: %v", e.Secondary)
	}
	if errs := loop.Errors(); len(errs) != 1 {
		t.Errorf("reported are %v, want the broken rule", errs)
	}
}

func TestLostBreakSaysWhatItWas(t *testing.T) {
	for want, g := range map[string]*Jump{
		"asks for break, but is in no loop":                    {},
		"asks for continue, but is in no loop":                 {Again: true},
		"asks for break rows, but is in no loop of that label": {Label: &Label{"rows"}},
		"asks for continue x, but is in no loop of that label": {Label: &Label{"x"}, Again: true},
	} {
		var raised []error
		inst, loop := new(Activation), tooltest.New()
		inst.Init(&Level{Ops: []Op{jumpOp(g)}}, nil)
		run := NewRun(inst, &Config{Context: t.Context(), Tool: loop, Watch: func(e Event) {
			if e.Kind == Raised {
				raised = append(raised, e.Err)
			}
		}})
		if err := run.Launch(); err != nil {
			t.Fatal(err)
		}
		loop.Run()
		e := wantCode(t, run.Result(), fault.InternalError)
		if !strings.HasSuffix(e.Info, want) {
			t.Errorf("got %q, want %q", e.Info, want)
		}
		if len(raised) != 1 || !strings.Contains(raised[0].Error(), want) {
			t.Errorf("told of %v, want one error with %q", raised, want)
		}
	}
}

// E4: with as many handlers as hooks that fail, each handler gets an error with the hooks' errors so far, and these
// aren't copied each time.
func TestSecondaryErrorsAreShared(t *testing.T) {
	const n = 5000
	var before, after runtime.MemStats
	tr, err, seen := new(trail), error(errFirst), make([]*fault.Error, 0, n)
	runtime.ReadMemStats(&before)
	for range n {
		tr.also(errSecond)
		err = tr.joined(err)
		seen = append(seen, err.(*fault.Error))
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > n*2000 { // copies would take n*n*8
		t.Errorf("%d bytes for %d handlers", used, n)
	}
	seen[0].Secondary = append(seen[0].Secondary, errFirst) // as a handler may do
	tr.clear()
	tr.also(errFirst)
	for i, e := range seen[1:] {
		if len(e.Secondary) != i+2 || slices.ContainsFunc(e.Secondary, func(err error) bool { return err != error(errSecond) }) {
			t.Fatalf("handler %d was given %d errors, and now they are others", i+2, len(e.Secondary))
		}
	}
}

// C1: a cancel between two steps leaves neither of them, so its trail is empty.
func TestCancelBetweenSteps(t *testing.T) {
	e := wantCode(t, runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		f.Run().Cancel(nil)
		return Done
	}), execOp(func(*Frame) Verdict {
		t.Error("a step of a cancelled run has begun")
		return Done
	})), fault.Cancelled)
	if len(e.Unwind) != 0 {
		t.Errorf("the cancel has left %v", e.Unwind)
	}
}

// E4: an error that has others joined to it is passed on as it is by a handler that stays silent.
func TestJoinedErrorIsPassedOn(t *testing.T) {
	inst := new(Activation)
	var given []error
	silent := func(op *testOp) *testOp {
		return &testOp{exec: op.exec, handle: func(_ *Frame, err error) Verdict {
			given = append(given, err)
			return Silent
		}}
	}
	wantCode(t, runOps(t, inst, silent(callOp(inst, silent(callOp(inst, silent(execOp(func(f *Frame) Verdict {
		f.SetCancel(func() { breakRule(f) })
		return f.Fail(errFirst)
	}))))))), "First")
	if len(given) != 3 || given[0] == error(errFirst) || given[1] != given[0] || given[2] != given[0] {
		t.Errorf("the handlers are given %v", given)
	}
}

// quittingTextError is an error that ends the goroutine that asks for its text.
type quittingTextError struct{}

func (quittingTextError) Error() string { runtime.Goexit(); return "" }

// C1: a cancel that came in the last step, with a cause that ends the goroutine, ends the run all the same.
func TestCauseThatEndsTheGoroutine(t *testing.T) {
	run := startRun(t, tooltest.New(), new(Activation), execOp(func(f *Frame) Verdict {
		f.Run().Cancel(quittingTextError{})
		return Done
	}))
	for range 2 {
		onGoroutine(run.Turn)
	}
	if !run.HasEnded() {
		t.Fatal("the run hasn't ended")
	}
	wantCode(t, run.Result(), fault.Cancelled)
}

// E4: an error that a run joins with others ends the goroutine when it is asked, and then the run is cancelled. The next
// run in that memory asks its own.
func TestErrorIsAskedAfterOneThatEndedTheGoroutine(t *testing.T) {
	var inst Activation
	err, asked := error(quittingTextError{}), error(nil)
	inst.Init(&Level{Ops: []Op{&testOp{exec: func(f *Frame) Verdict {
		f.SetCancel(func() { breakRule(f) })
		return f.Fail(err)
	}, handle: func(_ *Frame, err error) Verdict {
		asked = err
		return Done
	}}}}, nil)
	loop := tooltest.New()
	begin := func() *Run {
		run := NewRun(&inst, &Config{Context: t.Context(), Tool: loop, Owner: Ended(func(*Run) {})})
		if err := run.Launch(); err != nil {
			t.Fatal(err)
		}
		return run
	}
	run := begin()
	onGoroutine(run.Turn)
	run.Cancel(nil)
	loop.Run()
	wantCode(t, run.Result(), fault.Cancelled)
	run.Recycle()
	err = errFirst
	begin()
	loop.Run()
	if fault.CodeOf(asked) != errFirst.Code {
		t.Errorf("the handler is given %v", asked)
	}
}
