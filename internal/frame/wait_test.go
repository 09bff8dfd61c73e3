package frame

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// completeElsewhere completes a wait as another goroutine does, and reports whether that counted.
func completeElsewhere(l *Wait, gen uint64) bool {
	if !l.Claim(gen) {
		return false
	}
	l.Complete(nil)
	return true
}

// C6, E7: to complete a wait twice in its body breaks a rule; to complete a wait that is over does nothing.
func TestSecondCompletionInTheBody(t *testing.T) {
	t.Run("of the same wait", func(t *testing.T) {
		wantCode(t, runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
			slot := new(Wait)
			gen := slot.OpenInBody(f)
			if !completeElsewhere(slot, gen) || completeElsewhere(slot, gen) {
				t.Error("the first completion doesn't count, or the second does")
			}
			return Waiting
		})), fault.InternalError)
	})
	t.Run("of a former wait", func(t *testing.T) {
		slot, former := new(Wait), uint64(0)
		again := false
		op := &testOp{exec: func(f *Frame) Verdict {
			gen := slot.OpenInBody(f)
			if again && completeElsewhere(slot, former) || !completeElsewhere(slot, gen) || again && completeElsewhere(slot, former) {
				t.Error("the completion of this wait doesn't count, or that of the former does")
			}
			former = gen
			slot.BodyReturned(gen)
			return Waiting
		}}
		op.resume = func(f *Frame) Verdict {
			if err := slot.Close(f); err != nil {
				return f.Fail(err)
			}
			if completeElsewhere(slot, former) || slot.Valid(former) {
				t.Error("a wait can be completed after its end")
			}
			if again {
				return Done
			}
			again = true
			return op.exec(f)
		}
		if err := runOps(t, new(Activation), op); err != nil {
			t.Error(err)
		}
	})
}

// C6: a wait that was closed can't be completed.
func TestCloseOfAnOpenWait(t *testing.T) {
	slot := new(Wait)
	if err := runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		gen := slot.Open(f)
		if err := slot.Close(f); err != nil || slot.Valid(gen) || completeElsewhere(slot, gen) {
			t.Error("the wait is still open")
		}
		return Done
	})); err != nil {
		t.Error(err)
	}
}

// C6: after the body has returned, a second completion is a late one, also if another step of the run makes it.
func TestSecondCompletionByAnotherStep(t *testing.T) {
	inst, slot := new(Activation), new(Wait)
	var gen uint64
	waits := &testOp{exec: func(f *Frame) Verdict {
		gen = slot.OpenInBody(f)
		slot.BodyReturned(gen)
		return Waiting
	}, resume: func(f *Frame) Verdict { _ = slot.Close(f); return Done }}
	if err := runOps(t, inst, forkOp(inst, waits, execOp(func(*Frame) Verdict {
		if !completeElsewhere(slot, gen) || completeElsewhere(slot, gen) {
			t.Error("the first completion doesn't count, or the second does")
		}
		return Done
	}))); err != nil {
		t.Error(err)
	}
}

// C6: a wait can't be completed once its run is being cancelled, though its step hasn't been left yet.
func TestCompletionOfACancelledRun(t *testing.T) {
	loop := tooltest.New(tooltest.WithChooser(func(int) int { return 0 })) // a turn has one step
	wantCode(t, runOpsOn(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
		slot := new(Wait)
		gen := slot.Open(f)
		f.Run().Cancel(nil)
		if _, err := loop.Immediate(func() {
			if completeElsewhere(slot, gen) {
				t.Error("the completion counts")
			}
		}); err != nil {
			t.Error(err)
		}
		return Waiting
	})), fault.Cancelled)
}

// C7: when a goroutine returns within its grace, the step is left at once, nothing is reported and no timer remains.
func TestGoroutineReturnsWithinItsGrace(t *testing.T) {
	loop, slot := tooltest.New(), new(Wait)
	wantCode(t, runOpsOn(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
		f.SetTimeout(soon)
		var gen uint64
		gen = slot.Hire(f, func(error) {
			if _, err := loop.Deferred(soon, func() { slot.Finish(gen) }); err != nil {
				t.Error(err)
			}
		}, 0)
		return Waiting
	})), fault.Timeout)
	if now := loop.Now(); now != 2*soon {
		t.Errorf("the loop is idle after %v, want %v", now, 2*soon)
	}
	if errs := loop.Errors(); len(errs) != 0 {
		t.Errorf("reported are %v", errs)
	}
}

// C7: a step that has taken the result of its goroutine is done with it. What the goroutine meets after that is for the
// caller to report.
func TestGoroutineAfterItsResult(t *testing.T) {
	slot, gen := new(Wait), uint64(0)
	if err := runOps(t, new(Activation), &testOp{exec: func(f *Frame) Verdict {
		gen = slot.Hire(f, func(error) { t.Error("the goroutine is told to stop") }, 0)
		completeElsewhere(slot, gen)
		return Waiting
	}, resume: func(f *Frame) Verdict {
		_ = slot.Close(f)
		if slot.FinishBroken(gen, errFirst) {
			t.Error("the wait keeps an error that no step will be given")
		}
		return Done
	}}); err != nil {
		t.Error(err)
	}
}

// C3, C6: a step that was left by its limit has no part in its wait any more. A later step of the run is cancelled while
// the wait serves another run.
func TestWaitThatWasLeftServesAnother(t *testing.T) {
	loop, inst, slot := tooltest.New(), new(Activation), new(Wait)
	limited := &testOp{exec: func(f *Frame) Verdict {
		f.SetTimeout(soon)
		slot.Open(f)
		return Waiting
	}, handle: func(*Frame, error) Verdict { return Done }}
	first := startRun(t, loop, inst, limited, forkOp(inst, execOp(wait)))
	loop.Advance(soon)
	var gen uint64
	second := startRun(t, loop, new(Activation), &testOp{exec: func(f *Frame) Verdict {
		gen = slot.Open(f)
		return Waiting
	}, resume: func(f *Frame) Verdict { _ = slot.Close(f); return Done }})
	loop.Advance(0)
	first.Cancel(nil)
	loop.Advance(0)
	wantCode(t, first.Result(), fault.Cancelled)
	if !completeElsewhere(slot, gen) {
		t.Fatal("the wait of another run was left too")
	}
	loop.Advance(0)
	if !second.HasEnded() || second.Result() != nil {
		t.Errorf("ended is %t, with %v", second.HasEnded(), second.Result())
	}
}

// C6: Claim of a wait whose home is known uses only its lock and its atomic fields. The loop may complete the wait
// just then, go on with the step, and give the memory to another run.
func TestClaimReadsAtomicFields(t *testing.T) {
	var seat goid.Seat
	slot := new(Wait) // without a fiber, as the loop leaves it
	slot.home.Store(&seat)
	slot.word.Store(waitOf(1, waitOpen))
	if !slot.Claim(1) {
		t.Error("the wait can't be claimed")
	}
}

// A deterministic loop has all completions decided under the lock of the wait, because it looks at who completes.
func TestDeterministicLoopHasNoHome(t *testing.T) {
	loop, slot := tool.NewManual(tool.Options{Host: []tool.HostOption{tool.WithDeterministic()}}), new(Wait)
	gen := uint64(0)
	run := startRun(t, loop, new(Activation), &testOp{
		exec:   func(f *Frame) Verdict { gen = slot.Open(f); return Waiting },
		resume: func(f *Frame) Verdict { _ = slot.Close(f); return Done },
	})
	iterate(loop)
	if completeElsewhere(slot, gen) {
		t.Error("a goroutine has completed the step")
	}
	mustSchedule(t)(loop.Immediate(func() {
		if slot.ClaimHere(gen) || !completeElsewhere(slot, gen) {
			t.Error("the loop has completed the step without the lock, or not at all")
		}
	}))
	iterate(loop)
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended is %t, with %v", run.HasEnded(), run.Result())
	}
}

// C7: a step that waits for its goroutine without a limit has no timer. The error with which the goroutine breaks off becomes
// a secondary one.
func TestGoroutineBreaksOffLate(t *testing.T) {
	loop, slot, gen := tooltest.New(), new(Wait), uint64(0)
	run := startRun(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
		gen = slot.Hire(f, func(error) {}, -1)
		return Waiting
	}))
	loop.Advance(0)
	run.Cancel(nil)
	loop.Advance(0)
	if n := loop.Pending(); n != 0 || run.HasEnded() {
		t.Errorf("%d timers are armed; ended is %t", n, run.HasEnded())
	}
	if !slot.FinishBroken(gen, errFirst) {
		t.Error("the step has no use for the error")
	}
	loop.Run()
	if !run.HasEnded() {
		t.Fatal("the step isn't left")
	}
	if e := wantCode(t, run.Result(), fault.Cancelled); len(e.Secondary) != 1 || e.Secondary[0] != error(errFirst) {
		t.Errorf("secondary errors %v", e.Secondary)
	}
}

// ownedLoop is a loop with handles of its own, which fails the test if it is to cancel one of an earlier loop.
type ownedLoop struct {
	*tooltest.Loop
	t    *testing.T
	from tool.Handle
}

func (l *ownedLoop) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	h, err := l.Loop.Deferred(d, fn)
	return h + l.from, err
}

func (l *ownedLoop) Immediate(fn func()) (tool.Handle, error) {
	h, err := l.Loop.Immediate(fn)
	return h + l.from, err
}

func (l *ownedLoop) Cancel(h tool.Handle) bool {
	if h < l.from {
		l.t.Errorf("the handle %d is that of another loop", h)
		return false
	}
	return l.Loop.Cancel(h - l.from)
}

// T2, C7: a wait that has had a grace on one loop, and is left without a limit on another one, cancels only timers of that.
func TestGraceOnAnotherLoop(t *testing.T) {
	slot := new(Wait)
	for i, grace := range []time.Duration{time.Hour, -1} {
		loop, gen := &ownedLoop{tooltest.New(), t, tool.Handle(i) << 62}, uint64(0)
		run := startRun(t, loop, new(Activation), execOp(func(f *Frame) Verdict {
			gen = slot.Hire(f, func(error) {}, grace)
			return Waiting
		}))
		loop.Advance(0)
		run.Cancel(nil)
		loop.Advance(0)
		slot.Finish(gen)
		loop.Advance(0)
		wantCode(t, run.Result(), fault.Cancelled)
	}
}
