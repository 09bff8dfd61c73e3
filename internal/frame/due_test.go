package frame

import (
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func (w *repeatedWait) fails(err error) {
	if w.slot.Claim(w.gen.Load()) {
		w.slot.Complete(err)
	}
}

func (w *repeatedWait) succeeds() { w.fails(nil) }

// recoverOp returns an op with a branch that executes o, whose error it recovers.
func recoverOp(inst *Activation, o Op) *testOp {
	op := forkOp(inst, o)
	op.handle = func(*Frame, error) Verdict { return Done }
	return op
}

// O7: the end of a branch is put off because another fiber is in transit. That one goes on all the same.
func TestPutOffEndKeepsTheOthers(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	a, b, went := &repeatedWait{left: 1}, &repeatedWait{left: 1}, false
	run := startRun(t, loop, inst, forkOp(inst,
		callOp(inst, recoverOp(inst, a)),
		callOp(inst, b, execOp(func(*Frame) Verdict { went = true; return Done })),
	))
	loop.Run()
	a.fails(errFirst)
	b.succeeds()
	loop.Run()
	if !run.HasEnded() || run.Result() != nil || !went {
		t.Errorf("ended: %t, with %v; the other branch went on: %t", run.HasEnded(), run.Result(), went)
	}
}

// O7, P6: what follows at once from an end that was put off comes before an end that was put off after it. Here the
// error of a branch is recovered, and so a branch around it wins the race.
func TestPutOffEndsKeepTheirOrder(t *testing.T) {
	inst, loop := new(Activation), tooltest.New()
	a, b := &repeatedWait{left: 1}, &repeatedWait{left: 1}
	k := &Fork{Branches: make([]Branch, 2), race: race{Terms: Terms{Wins: 1}}}
	k.Branches[0].Enter(level(inst, forkOp(inst, recoverOp(inst, a))))
	k.Branches[1].Enter(level(inst, b))
	run := startRun(t, loop, inst, execOp(func(f *Frame) Verdict { return f.Fork(k) }))
	loop.Run()
	a.fails(errFirst)
	b.succeeds()
	loop.Run()
	if !run.HasEnded() || run.Result() != nil {
		t.Fatalf("ended: %t, with %v", run.HasEnded(), run.Result())
	}
	if won := k.Won(0); won != 0 {
		t.Errorf("branch %d has won, want that of the error", won)
	}
}

// O7: a branch that goes on because of an end that was put off has its own end put off as any other, once other
// things have happened.
func TestLaterEndIsPutOff(t *testing.T) {
	t.Run("after a wait", func(t *testing.T) {
		inst, loop := new(Activation), tooltest.New()
		a, b, again := &repeatedWait{left: 1}, &repeatedWait{left: 2}, &repeatedWait{left: 1}
		run := startRun(t, loop, inst, forkOp(inst, callOp(inst, recoverOp(inst, a), again), b))
		loop.Run()
		a.fails(errFirst)
		b.succeeds()
		loop.Run()
		again.fails(errSecond)
		b.succeeds()
		loop.Run()
		wantCode(t, run.Result(), "Second")
		if b.left != 0 {
			t.Error("the error of a branch has come before the success of the other")
		}
	})
	t.Run("after one of two limits", func(t *testing.T) {
		inst, loop := new(Activation), tooltest.New()
		a, b, c := &repeatedWait{left: 1}, &repeatedWait{left: 2}, &repeatedWait{left: 1}
		var passes, another func()
		late := &testOp{exec: a.Exec, resume: func(f *Frame) Verdict {
			passes()
			another()
			return a.Resume(f)
		}}
		body := callOp(inst, recoverOp(inst, late), execOp(wait))
		run := startRun(t, loop, inst, forkOp(inst, execOp(func(f *Frame) Verdict {
			f.SetTimeout(soon)
			passes = f.resources.fire
			f.SetCancel(c.succeeds)
			return body.exec(f)
		}), b, c, execOp(func(f *Frame) Verdict {
			f.SetTimeout(later)
			another = f.resources.fire
			return wait(f)
		})))
		loop.Advance(0)
		a.fails(errFirst)
		b.succeeds()
		loop.Run()
		wantCode(t, run.Result(), fault.Timeout)
		if c.left != 0 {
			t.Error("the error of a branch has come before a completion that may be a success")
		}
	})
}
