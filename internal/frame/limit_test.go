package frame

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// stuckOp returns an op whose goroutine never ends, so that a step of it is left only after the loop's grace.
func stuckOp() *testOp {
	return execOp(func(f *Frame) Verdict {
		new(Wait).Hire(f, func(error) {}, 0)
		return Waiting
	})
}

// withLimit returns op with a limit, and with a handler that must not be asked.
func withLimit(t *testing.T, limit time.Duration, op *testOp) *testOp {
	return &testOp{
		exec: func(f *Frame) Verdict {
			f.SetTimeout(limit)
			return op.Exec(f)
		},
		resume: op.resume,
		loop:   op.loop,
		handle: func(_ *Frame, err error) Verdict {
			t.Errorf("the handler of the limit of %v has got %v", limit, err)
			return Done
		},
	}
}

const (
	soon  = tool.DefaultGrace / 4
	later = tool.DefaultGrace / 2
)

// C3: a limit that passes while its step is being cancelled by an outer limit changes nothing.
func TestLimitPassesBelowOneThatHasPassed(t *testing.T) {
	inst := new(Activation)
	inner := withLimit(t, later, callOp(inst, stuckOp()))
	outer := callOp(inst, inner)
	e := wantCode(t, runOps(t, inst, callOp(inst, callOp(inst, execOp(func(f *Frame) Verdict {
		f.SetTimeout(soon)
		return outer.Exec(f)
	})))), fault.Timeout)
	if want := soon.String(); !strings.Contains(e.Info, want) {
		t.Errorf("ended with %v, want the limit of %s", e, want)
	}
	if len(e.Unwind) != 3 {
		t.Errorf("the trail begins below the limit: %v", e.Unwind)
	}
}

// C3: an outer limit that passes after an inner one takes its place.
func TestLimitPassesAroundOneThatHasPassed(t *testing.T) {
	inst := new(Activation)
	inner := withLimit(t, soon, callOp(inst, stuckOp()))
	between := callOp(inst, inner)
	e := wantCode(t, runOps(t, inst, execOp(func(f *Frame) Verdict {
		f.SetTimeout(later)
		return between.Exec(f)
	})), fault.Timeout)
	if want := later.String(); !strings.Contains(e.Info, want) {
		t.Errorf("ended with %v, want the limit of %s", e, want)
	}
}

// C1: a limit that passes while the run is being cancelled changes nothing.
func TestLimitPassesInACancelledRun(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	op := withLimit(t, later, callOp(inst, stuckOp()))
	wantCode(t, runOpsOn(t, loop, inst, execOp(func(f *Frame) Verdict {
		r := f.Run()
		if _, err := loop.Deferred(soon, func() { r.Cancel(context.Canceled) }); err != nil {
			t.Error(err)
		}
		return Done
	}), op), fault.Cancelled)
}

// C3: a limit passes while a break from inside of it waits for the goroutine of a sibling: Timeout takes the place of
// the break, wherever its loop is.
func TestLimitPassesWhileABreakTravels(t *testing.T) {
	leaving := func(inst *Activation) *testOp { return callOp(inst, forkOp(inst, stuckOp(), jumpOp(&Jump{}))) }
	limit := func(op *testOp) *testOp {
		return &testOp{loop: op.loop, exec: func(f *Frame) Verdict {
			f.SetTimeout(soon)
			f.SetCancel(func() {
				if _, how := f.Outcome(); fault.CodeOf(how) != fault.Timeout {
					t.Errorf("the step with the limit has ended with %v", how)
				}
			})
			return op.Exec(f)
		}}
	}
	loop := func(op *testOp) *testOp {
		return &testOp{loop: true, exec: op.Exec, resume: func(*Frame) Verdict {
			t.Error("the break has reached the loop")
			return Done
		}}
	}
	for name, plan := range map[string]func(inst *Activation) *testOp{
		"around the loop":    func(inst *Activation) *testOp { return limit(callOp(inst, loop(leaving(inst)))) },
		"inside of the loop": func(inst *Activation) *testOp { return loop(callOp(inst, limit(leaving(inst)))) },
		"in a branch further in": func(inst *Activation) *testOp {
			return loop(callOp(inst, forkOp(inst, limit(leaving(inst)))))
		},
	} {
		t.Run(name, func(t *testing.T) {
			inst := new(Activation)
			e := wantCode(t, runOps(t, inst, plan(inst)), fault.Timeout)
			if !strings.Contains(e.Info, soon.String()) {
				t.Errorf("ended with %v, want the limit of %s", e, soon)
			}
			if len(e.Secondary) != 1 || !strings.Contains(e.Secondary[0].Error(), "goroutine") {
				t.Errorf("secondary errors %v, want that of the goroutine that was left behind", e.Secondary)
			}
		})
	}
}

// C7: a step whose goroutine doesn't return is left when the grace is over, and the goroutine is reported.
func TestGraceIsWaitedFor(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	var left time.Duration
	ends := stuckOp()
	wantCode(t, runOpsOn(t, loop, inst, execOp(func(f *Frame) Verdict {
		f.SetTimeout(soon)
		f.Defer(func() { left = loop.Now() })
		return ends.Exec(f)
	})), fault.Timeout)
	if want := soon + tool.DefaultGrace; left != want {
		t.Errorf("the step is left after %v, want %v", left, want)
	}
	if n := len(loop.Errors()); n != 1 {
		t.Errorf("%d goroutines were reported, want one", n)
	}
}

// C7: a goroutine that returns within its grace isn't reported, also if the loop sees it only after the grace.
func TestGoroutineReturnsAtTheLastMoment(t *testing.T) {
	loop, slot, gen := tooltest.New(), new(Wait), uint64(0)
	run := startRun(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
		gen = slot.Hire(f, func(error) {}, 0)
		return Waiting
	}))
	loop.Advance(0)
	run.Cancel(nil)
	loop.Advance(0) // the step waits for the goroutine now
	slot.Finish(gen)
	slot.worker.expire()
	loop.Run()
	if e := wantCode(t, run.Result(), fault.Cancelled); len(e.Secondary) != 0 || len(loop.Errors()) != 0 {
		t.Errorf("secondary errors %v, reported are %v", e.Secondary, loop.Errors())
	}
}

// E1: the timer of a step that has failed is cancelled first, before the step waits for the goroutine of a branch.
func TestTimerIsTakenBackFirst(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	branches := forkOp(inst, stuckOp(), failOp(errFirst))
	run := startRun(t, loop, inst, execOp(func(f *Frame) Verdict {
		f.SetTimeout(later)
		return branches.Exec(f)
	}))
	loop.Advance(0)
	if n := loop.Pending(); n != 1 {
		t.Errorf("%d timers, want that of the grace alone", n)
	}
	loop.Run()
	wantCode(t, run.Result(), "First")
}

// C3, C5: a limit and what it covers may be of one step. If the limit passes while branches are at work, the step fails.
// If it passes after a goroutine has completed the step, it is too late, also if the run hasn't looked at that yet.
func TestLimitOfTheStepItself(t *testing.T) {
	t.Run("branches", func(t *testing.T) {
		inst := new(Activation)
		forks := forkOp(inst, execOp(wait), execOp(nil))
		wantCode(t, runOps(t, inst, execOp(func(f *Frame) Verdict {
			f.SetTimeout(soon)
			return forks.exec(f)
		})), fault.Timeout)
	})
	t.Run("completed before", func(t *testing.T) {
		var slot Wait
		var gen uint64
		var passes func()
		op := execOp(func(f *Frame) Verdict {
			f.SetTimeout(soon)
			passes = f.resources.fire
			gen = slot.Open(f)
			return Waiting
		})
		op.resume = func(f *Frame) Verdict {
			if err := slot.Close(f); err != nil {
				t.Error(err)
			}
			return Done
		}
		loop := tooltest.New()
		run := startRun(t, loop, new(Activation), op)
		loop.Advance(0)
		if !completeElsewhere(&slot, gen) {
			t.Fatal("the wait can't be completed")
		}
		passes()
		loop.Run()
		if !run.HasEnded() || run.Result() != nil {
			t.Errorf("ended: %t, with %v", run.HasEnded(), run.Result())
		}
	})
}

// C3: a limit that was armed at the end of a turn is taken back with its step: no timer is left.
func TestLimitLeavesNoTimer(t *testing.T) {
	loop := tool.NewManual(tool.Options{})
	op := &repeatedWait{left: 1}
	run := startRun(t, loop, new(Activation), &testOp{
		exec:   func(f *Frame) Verdict { f.SetTimeout(time.Hour); return op.Exec(f) },
		resume: op.Resume,
	})
	iterate(loop)
	if _, ok := loop.Next(); !ok {
		t.Error("no timer is armed")
	}
	completeElsewhere(&op.slot, op.gen.Load())
	iterate(loop)
	if d, ok := loop.Next(); !run.HasEnded() || ok {
		t.Errorf("ended: %t; a timer is left for %v: %t", run.HasEnded(), d, ok)
	}
}
