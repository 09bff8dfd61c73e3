package frame

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// shieldOp returns an op whose branches, one for each of ops, are shielded.
func shieldOp(inst *Activation, s Shield, ops ...Op) *testOp {
	k := &Fork{Branches: make([]Branch, len(ops)), shielding: shielding{Shield: s}}
	k.Shields = true
	for i, op := range ops {
		k.Branches[i].Enter(level(inst, op))
	}
	return execOp(func(f *Frame) Verdict { return f.Fork(k) })
}

// K1, O4: the turn that has learned of the cancel tells a shield of it, also if the turn ends before it leaves a step.
func TestShieldIsToldWithTheCancel(t *testing.T) {
	for name, around := range map[string]func(inst *Activation, op *testOp) *testOp{
		"of the main fiber": func(_ *Activation, op *testOp) *testOp { return op },
		"of a branch":       func(inst *Activation, op *testOp) *testOp { return forkOp(inst, op) },
	} {
		loop, inst := tooltest.New(tooltest.WithChooser(func(int) int { return 0 })), new(Activation) // a turn has one step
		told := false
		body := execOp(func(f *Frame) Verdict {
			ctx := f.Context()
			f.Run().Cancel(nil)
			mustSchedule(t)(loop.Immediate(func() { told = ctx.Err() != nil })) // before the next turn
			return wait(f)
		})
		wantCode(t, runOpsOn(t, loop, inst, around(inst, shieldOp(inst, Shield{Hears: true}, body))), fault.Cancelled)
		if !told {
			t.Errorf("%s: the context has not ended with the turn", name)
		}
	}
}

// K1, C1: when the grace of a shield is over, or the loop refuses to time it, all of its branches are frozen before the
// first is left, and the step has one error for that.
func TestBranchesOfAShieldAreFrozenTogether(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		loop, inst := &timerlessLoop{Loop: tooltest.New()}, new(Activation)
		slot, gen, hooks := new(Wait), uint64(0), 0
		first := execOp(func(f *Frame) Verdict {
			f.SetCancel(func() {
				if hooks++; slot.Valid(gen) {
					t.Errorf("refused: %t; a step can be completed when its sibling is left", refuses)
				}
			})
			return wait(f)
		})
		run := startRun(t, loop, inst, shieldOp(inst, Shield{}, first, forkOp(inst, execOp(func(f *Frame) Verdict {
			gen = slot.Open(f)
			return Waiting
		}))))
		loop.Advance(0)
		loop.closed = refuses
		run.Cancel(nil)
		loop.Run()
		if e := wantCode(t, run.Result(), fault.Cancelled); hooks != 1 || len(e.Secondary) != 1 {
			t.Errorf("refused: %t; %d hooks, secondary errors %v; want one of each", refuses, hooks, e.Secondary)
		}
	}
}

// K4: the branches of a shield may take any time to end if the grace has no limit, and no timer is armed for them.
func TestShieldWithoutLimit(t *testing.T) {
	loop, inst, op := tooltest.New(tooltest.WithHost(tool.WithGrace(-1))), new(Activation), &repeatedWait{left: 1}
	run := startRun(t, loop, inst, shieldOp(inst, Shield{}, op))
	loop.Run()
	run.Cancel(nil)
	loop.Advance(0)
	if n := loop.Pending(); n != 0 || run.HasEnded() {
		t.Errorf("%d timers are armed; ended is %t", n, run.HasEnded())
	}
	completeElsewhere(&op.slot, op.gen.Load())
	loop.Run()
	if e := wantCode(t, run.Result(), fault.Cancelled); len(e.Secondary) != 0 {
		t.Errorf("secondary errors %v", e.Secondary)
	}
}

// K1, L1: a break leaves a shield, and then a hook in the shield breaks a rule. The break has no error that could have
// this one as a secondary error, so it is reported.
func TestBreakReportsWhatAShieldMeets(t *testing.T) {
	loop, inst, op := tooltest.New(), new(Activation), new(repeatedWait)
	late := &testOp{exec: func(f *Frame) Verdict {
		f.SetCancel(func() { breakRule(f) })
		return op.Exec(f)
	}, resume: func(f *Frame) Verdict {
		_ = op.slot.Close(f)
		return f.Fail(errFirst)
	}}
	body := callOp(inst, forkOp(inst, shieldOp(inst, Shield{}, late), jumpOp(&Jump{})))
	run := startRun(t, loop, inst, &testOp{loop: true, exec: body.exec, resume: func(f *Frame) Verdict { f.Landed(); return Done }})
	loop.Advance(0)
	completeElsewhere(&op.slot, op.gen.Load())
	loop.Run()
	if errs := loop.Errors(); run.Result() != nil || len(errs) != 1 || fault.CodeOf(errs[0]) != fault.InvalidRequest {
		t.Errorf("ended with %v; reported are %v, want the broken rule", run.Result(), errs)
	}
}

// C1: a branch that could go on doesn't begin any more once the run is cancelled, while a goroutine of another branch is
// waited for.
func TestFrozenBranchDoesNotBegin(t *testing.T) {
	inst := new(Activation)
	wantCode(t, runOps(t, inst, forkOp(inst, execOp(func(f *Frame) Verdict {
		f.Run().Cancel(nil)
		new(Wait).Hire(f, func(error) {}, 0)
		return Waiting
	}), execOp(func(*Frame) Verdict { t.Error("the branch has begun"); return Done }))), fault.Cancelled)
}
