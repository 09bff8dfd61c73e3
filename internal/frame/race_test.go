package frame

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// P6: once the last branch of a staggered race has begun, no timer is armed for another one.
func TestLastStaggeredBranchArmsNothing(t *testing.T) {
	for n := 1; n <= 3; n++ {
		inst, loop := new(Activation), tooltest.New()
		k := &Fork{Branches: make([]Branch, n)}
		k.Terms = Terms{Wins: 1, Losses: n - 1, Stagger: time.Second}
		began := 0
		for i := range n {
			k.Branches[i].Enter(level(inst, execOp(func(f *Frame) Verdict { began++; return wait(f) })))
		}
		run := startRun(t, loop, inst, execOp(func(f *Frame) Verdict { return f.Fork(k) }))
		for i := range n {
			loop.Advance(0)
			armed := min(n-1-i, 1) // for the next branch, if there is one
			if began != i+1 || loop.Pending() != armed {
				t.Errorf("%d branches: %d have begun, %d timers; want %d and %d", n, began, loop.Pending(), i+1, armed)
			}
			loop.Advance(time.Second)
		}
		run.Cancel(nil)
		loop.Run()
		wantCode(t, run.Result(), fault.Cancelled)
	}
}

// staggeredFork returns a fork of a race with one branch for each of ops, a second apart.
func staggeredFork(inst *Activation, losses int, ops ...Op) *Fork {
	k := &Fork{Branches: make([]Branch, len(ops))}
	k.Terms = Terms{Wins: 1, Losses: losses, Stagger: time.Second}
	for i, op := range ops {
		k.Branches[i].Enter(level(inst, op))
	}
	return k
}

func TestLastBranchAfterAFailureArmsNothing(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	k := staggeredFork(inst, 1, failOp(errFirst), execOp(wait))
	run := startRun(t, loop, inst, execOp(func(f *Frame) Verdict { return f.Fork(k) }))
	loop.Advance(0)
	if n := loop.Pending(); n != 0 || k.started != 2 {
		t.Errorf("%d branches have begun, %d timers are armed", k.started, n)
	}
	run.Cancel(nil)
	loop.Run()
	wantCode(t, run.Result(), fault.Cancelled)
}

// With OnlyLate a failure begins no other branch, and arms nothing; the branches that have begun may still win.
func TestOnlyLateBranchesBegin(t *testing.T) {
	inst, loop, slow := new(Activation), tooltest.New(), &repeatedWait{left: 1}
	k := staggeredFork(inst, 2, slow, failOp(errFirst), execOp(func(*Frame) Verdict { t.Error("a branch begins"); return Done }))
	k.OnlyLate = true
	run := startRun(t, loop, inst, execOp(func(f *Frame) Verdict { return f.Fork(k) }))
	loop.Advance(time.Second)
	if n := loop.Pending(); n != 0 || k.Open() != 1 || run.HasEnded() {
		t.Fatalf("%d timers are armed, %d branches are open; ended is %t", n, k.Open(), run.HasEnded())
	}
	completeElsewhere(&slow.slot, slow.gen.Load())
	loop.Run()
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended is %t, with %v", run.HasEnded(), run.Result())
	}
}

// With OnlyLate a race whose branches have all failed fails, without those that haven't begun.
func TestOnlyLateRaceFails(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	k := staggeredFork(inst, 1, failOp(errFirst), execOp(func(*Frame) Verdict { t.Error("a branch begins"); return Done }))
	k.OnlyLate = true
	run := startRun(t, loop, inst, execOp(func(f *Frame) Verdict { return f.Fork(k) }))
	loop.Advance(0)
	if err := run.Result(); loop.Pending() != 0 || !errors.Is(err, errFirst) {
		t.Errorf("%d timers are armed, got %v", loop.Pending(), err)
	}
}

// P6: when a staggered race is decided, no timer is armed for another branch while those that have lost are left.
func TestDecidedRaceArmsNothing(t *testing.T) {
	inst, loop, slot, gen := new(Activation), tooltest.New(), new(Wait), uint64(0)
	k := staggeredFork(inst, 0, execOp(func(f *Frame) Verdict {
		gen = slot.Hire(f, func(error) {}, -1)
		return Waiting
	}), execOp(nil), execOp(func(*Frame) Verdict { t.Error("a branch begins after the race"); return Done }))
	run := startRun(t, loop, inst, execOp(func(f *Frame) Verdict { return f.Fork(k) }))
	loop.Advance(time.Second)
	if n := loop.Pending(); n != 0 || !k.decided || run.HasEnded() {
		t.Fatalf("%d timers are armed; decided is %t, ended is %t", n, k.decided, run.HasEnded())
	}
	slot.Finish(gen)
	loop.Run()
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("ended is %t, with %v", run.HasEnded(), run.Result())
	}
}

// P6, C1: no branch of a staggered race begins any more once the run is cancelled, while a goroutine of a branch beside
// the race is waited for.
func TestCancelledRaceBeginsNothing(t *testing.T) {
	inst, loop, slot, gen := new(Activation), tooltest.New(), new(Wait), uint64(0)
	k := staggeredFork(inst, 0, execOp(wait), execOp(func(*Frame) Verdict { t.Error("a branch begins"); return Done }))
	run := startRun(t, loop, inst, forkOp(inst, execOp(func(f *Frame) Verdict {
		gen = slot.Hire(f, func(error) {}, -1)
		return Waiting
	}), execOp(func(f *Frame) Verdict { return f.Fork(k) })))
	loop.Advance(0)
	run.Cancel(nil)
	loop.Advance(2 * time.Second)
	slot.Finish(gen)
	loop.Run()
	wantCode(t, run.Result(), fault.Cancelled)
}

// P6, E4: what a branch that has lost breaks is reported once, also if a break leaves the race after it was decided.
func TestDefectOfARaceIsReportedOnce(t *testing.T) {
	inst, loop, op := new(Activation), tooltest.New(), &repeatedWait{left: 1}
	slot, gen := new(Wait), uint64(0)
	k := staggeredFork(inst, 1, execOp(func(f *Frame) Verdict {
		f.SetCancel(func() { breakRule(f) })
		return f.Fail(errFirst)
	}), op, execOp(func(f *Frame) Verdict {
		gen = slot.Hire(f, func(error) {}, -1)
		return Waiting
	}))
	k.Stagger = 0
	out := &repeatedWait{left: 1}
	body := callOp(inst, forkOp(inst, execOp(func(f *Frame) Verdict { return f.Fork(k) }), callOp(inst, out, jumpOp(&Jump{}))))
	run := startRun(t, loop, inst, &testOp{loop: true, exec: body.exec, resume: func(f *Frame) Verdict { f.Landed(); return Done }})
	loop.Advance(0)
	completeElsewhere(&op.slot, op.gen.Load())
	loop.Advance(0)
	completeElsewhere(&out.slot, out.gen.Load())
	loop.Advance(0)
	slot.Finish(gen)
	loop.Run()
	if errs := loop.Errors(); !run.HasEnded() || run.Result() != nil || len(errs) != 1 {
		t.Errorf("ended is %t, with %v; reported are %v, want the broken rule", run.HasEnded(), run.Result(), errs)
	}
}

func TestLostRaceHoldsNoError(t *testing.T) {
	var inst Activation
	made := make(collectables)
	k := staggeredFork(&inst, 1, execOp(func(f *Frame) Verdict {
		f.SetCancel(func() { panic(made.make("panic")) })
		return f.Fail(made.make("error"))
	}), failOp(errFirst))
	loop := tooltest.New()
	run := startRun(t, loop, &inst, execOp(func(f *Frame) Verdict { return f.Fork(k) }))
	loop.Run()
	wantCode(t, run.Result(), "First")
	run.Recycle()
	runtime.GC()
	for name, x := range made {
		if x.Value() != nil {
			t.Errorf("the %s is held", name)
		}
	}
	runtime.KeepAlive(k)
}
