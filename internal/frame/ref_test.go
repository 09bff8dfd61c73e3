package frame

import (
	"context"
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Stamps differ for the bodies of two steps, and for a body and the handler of one step. The stamp of a step that has
// ended is zero.
func TestStamp(t *testing.T) {
	seen := make(map[uint64]string)
	note := func(f *Frame, what string) {
		stamp := f.Stamp()
		if stamp != f.Ref().Stamp() {
			t.Errorf("%s: the frame and its Ref differ", what)
		}
		if stamp&7 != 0 {
			t.Errorf("%s: the lowest bits of %x aren't free", what, stamp)
		}
		if other, ok := seen[stamp]; ok || stamp == 0 {
			t.Errorf("%s has the stamp %x of %q", what, stamp, other)
		}
		seen[stamp] = what
	}
	var stale Ref
	if err := runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		note(f, "the first body")
		stale = f.Ref()
		return Done
	}), &testOp{
		exec: func(f *Frame) Verdict {
			note(f, "the second body")
			if stale.Stamp() != 0 || stale.Valid() {
				t.Error("a step that has ended has a stamp")
			}
			return f.Fail(errFirst)
		},
		handle: func(f *Frame, _ error) Verdict { note(f, "the handler"); return Done },
	}, execOp(func(f *Frame) Verdict { note(f, "the third body"); return Done })); err != nil {
		t.Error(err)
	}
}

func TestRefIsVoidInAWatch(t *testing.T) {
	m, told := newCountingMemory(), 0
	level := &Level{Memory: &m.Memory}
	watch := func(e Event) {
		if e.Kind != StepStart {
			return
		}
		told++
		if in, _ := e.Frame.Ref().Open(level); in != nil || e.Frame.Ref().Frame() != nil {
			t.Error("the Ref is good")
		}
		if e.Frame.Ref().Refuse(errFirst) != errFirst || !errors.Is(e.Frame.Ref().Invalid("bad"), fault.InvalidRequest) {
			t.Error("a bad argument is taken for a good one")
		}
	}
	inst := new(Activation)
	inst.Init(&Level{Ops: []Op{execOp(func(*Frame) Verdict { return Done })}}, nil)
	loop := tooltest.New()
	run := NewRun(inst, &Config{Context: context.Background(), Tool: loop, Watch: watch})
	if err := run.Launch(); err != nil {
		t.Fatal(err)
	}
	loop.Run()
	if told != 1 || run.Result() != nil {
		t.Errorf("told %d times; %v", told, run.Result())
	}
}

// The use of a stale Ref fails its run if that executes, and no run once that has ended.
func TestStaleRefIsBlamedOnItsUser(t *testing.T) {
	var stale Ref
	if (Ref{}).Frame() != nil || (Ref{}).Err() == nil || (Ref{}).Valid() {
		t.Error("the zero Ref is a step's")
	}
	keep := execOp(func(f *Frame) Verdict {
		stale = f.Ref()
		if stale.Frame() != f || stale.Err() != nil {
			t.Error("the Ref of the current step isn't good")
		}
		return Done
	})
	use := execOp(func(*Frame) Verdict {
		if stale.Frame() != nil || stale.Err() == nil {
			t.Error("a stale Ref is good")
		}
		return Done
	})
	if err := runOps(t, new(Activation), keep, use); err == nil {
		t.Error("nobody is blamed")
	}
	if stale.Frame() != nil || stale.Run() != nil || stale.Err() == nil {
		t.Error("a Ref is good after its run")
	}
	if err := runOps(t, new(Activation), use); err != nil {
		t.Errorf("another run is blamed: %v", err)
	}
}

// If no run executes, the use of a stale Ref fails none, not even the run of the Ref, which waits.
func TestStaleRefUsedWhileItsRunWaits(t *testing.T) {
	var stale Ref
	loop, op := tooltest.New(), &repeatedWait{left: 1}
	run := startRun(t, loop, new(Activation), execOp(func(f *Frame) Verdict { stale = f.Ref(); return Done }), op)
	loop.Run()
	if stale.Frame() != nil || stale.Run() != run {
		t.Error("the Ref is good, or its run isn't known")
	}
	completeElsewhere(&op.slot, op.gen.Load())
	loop.Run()
	if !run.HasEnded() || run.Result() != nil {
		t.Errorf("over is %t, with %v", run.HasEnded(), run.Result())
	}
}

// E7: the Ref of a step that a jump has left isn't valid in the next iteration, where the same step uses the same
// memory.
func TestStaleRefInTheNextTurn(t *testing.T) {
	inst := new(Activation)
	var stale Ref
	turn := 0
	body := callOp(inst, execOp(func(f *Frame) Verdict {
		turn++
		if turn == 2 {
			if stale.Valid() || f.Ref() == stale {
				t.Error("the Ref of the last turn is good")
			}
			return Done
		}
		stale = f.Ref()
		return f.Jump(&Jump{Again: true})
	}))
	if err := runOps(t, inst, &testOp{loop: true, exec: body.exec, resume: func(f *Frame) Verdict {
		if f.Landed() == nil {
			return Done
		}
		return body.exec(f)
	}}); err != nil || turn != 2 {
		t.Errorf("ended with %v after %d turns", err, turn)
	}
}

// E7: numbers of steps and waits don't repeat when 32 bits overflow.
func TestNumbersDoNotComeBack(t *testing.T) {
	const around = 1 << 32
	slot := new(Wait)
	err := runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		old, stamp := f.Ref(), f.Stamp()
		f.epoch += around
		if old.Valid() {
			t.Error("a step is valid again after 2^32 others")
		}
		if f.Stamp() == stamp {
			t.Error("the stamp of a step is that of one 2^32 steps ago")
		}
		gen := slot.Open(f)
		slot.word.Store(waitOf(gen+around, waitOpen))
		if slot.Valid(gen) || slot.Claim(gen) {
			t.Error("a wait is valid again after 2^32 others")
		}
		if !slot.Claim(gen + around) {
			t.Error("the wait can't be completed")
		}
		slot.Complete(nil)
		return Waiting
	}))
	if err != nil {
		t.Error(err)
	}
}

// Memory whose generation numbers are used up isn't used by another run.
func TestMemoryIsRetired(t *testing.T) {
	memory := new(Memory)
	level := &Level{Ops: []Op{execOp(nil)}, Memory: memory}
	in := new(Activation)
	in.Init(level, memory)
	in.root.gen.Store(retired - 1)
	in.store()
	for range 10 { // with the race detector a pool may drop it
		if got, _ := memory.inner.Get().(*Activation); got == in {
			t.Error("an instance is used beyond its last generation")
		}
	}
	in = new(Activation)
	in.Init(level, memory)
	run := NewRun(in, &Config{Context: context.Background()})
	run.Turn()
	run.Recycle()
	if NewRun(in, &Config{Context: context.Background()}) != run {
		t.Fatal("a run isn't used again, so that this test shows nothing")
	}
	run.gen.Store(retired - 1)
	run.Turn()
	run.Recycle()
	if in.run == run {
		t.Error("a run is used beyond its last generation")
	}
}
