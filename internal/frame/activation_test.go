package frame

import (
	"context"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
)

type countingMemory struct {
	Memory
	made, cleared int
}

func newCountingMemory() *countingMemory {
	c := new(countingMemory)
	c.New = func() *Activation {
		c.made++
		in := new(Activation)
		in.Init(nil, &c.Memory)
		return in
	}
	c.Clear = func(*Activation) { c.cleared++ }
	return c
}

// The activation of sub-steps that have ended is kept for later ones, once.
func TestActivationGoesBack(t *testing.T) {
	again := &Jump{Again: true}
	tests := map[string]struct {
		ops []Op
		end error
	}{
		"after success":        {ops: []Op{execOp(nil)}},
		"after failure":        {ops: []Op{failOp(errFirst)}},
		"after a break":        {ops: []Op{jumpOp(&Jump{})}},
		"after a continue":     {ops: []Op{jumpOp(again)}},
		"after failing deeper": {ops: []Op{callOp(new(Activation), failOp(errFirst))}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := newCountingMemory()
			level := &Level{Ops: test.ops, Memory: &m.Memory}
			var sub *Activation
			var r *Run
			_ = runOps(t, new(Activation), &testOp{
				loop: true,
				exec: func(f *Frame) Verdict {
					r, sub = f.Run(), f.Open(level)
					sub.Prepare()
					return f.Call(sub)
				},
				resume: func(f *Frame) Verdict { f.Landed(); return Done },
			})
			if m.cleared != 1 || sub.root.fresh {
				t.Errorf("cleared %d times; fresh: %v", m.cleared, sub.root.fresh)
			}
			if r.fromCache(new(Memory)) != nil || r.fromCache(&m.Memory) != sub || r.fromCache(&m.Memory) != nil {
				t.Error("the instance isn't at hand, or not once")
			}
		})
	}
}

// A step that goes on after its sub-steps finds their memory, and the next sub-steps use it.
func TestNextIterationTakesTheMemoryOfTheLast(t *testing.T) {
	m := newCountingMemory()
	body := &Level{Ops: []Op{execOp(nil)}, Memory: &m.Memory}
	other := newCountingMemory()
	left := 3
	var first *Activation
	err := runOps(t, new(Activation), &testOp{
		exec: func(f *Frame) Verdict {
			if f.Ended() != nil {
				t.Error("steps have ended before there were any")
			}
			first = f.Open(body)
			return f.Call(first)
		},
		resume: func(f *Frame) Verdict {
			if f.Ended() != first.Frame() || m.cleared != 0 {
				t.Errorf("ended is %p, want %p; cleared %d times", f.Ended(), first, m.cleared)
			}
			if left--; left == 0 {
				f.Close(f.Open(&Level{Memory: &other.Memory}))
				return Done
			}
			in := f.Open(body)
			if in != first || f.Ended() != nil {
				t.Error("the memory isn't the same, or still there")
			}
			return f.Call(in)
		},
	}, execOp(func(f *Frame) Verdict {
		if f.Ended() != nil {
			t.Error("the next step sees what has ended before it")
		}
		return Done
	}))
	if err != nil || m.made != 1 || m.cleared != 1 || other.made != 1 || other.cleared != 1 {
		t.Errorf("%v; made %d and %d, cleared %d and %d", err, m.made, other.made, m.cleared, other.cleared)
	}
}

// E4: the activation of ended sub-steps is given back even if the step panics when it goes on.
func TestEndedGoesBackAfterAPanic(t *testing.T) {
	m := newCountingMemory()
	body := &Level{Ops: []Op{execOp(nil)}, Memory: &m.Memory}
	again := false
	op := &testOp{
		exec: func(f *Frame) Verdict { return f.Call(f.Open(body)) },
		resume: func(f *Frame) Verdict {
			if again {
				return Done
			}
			panic("boom")
		},
		handle: func(f *Frame, _ error) Verdict {
			if f.Ended() != nil || m.cleared != 1 {
				t.Errorf("cleared %d times before the handler", m.cleared)
			}
			again = true
			return f.Call(f.Open(body))
		},
	}
	if err := runOps(t, new(Activation), op); err != nil || m.made != 1 || m.cleared != 2 {
		t.Errorf("%v; made %d, cleared %d times", err, m.made, m.cleared)
	}
}

// A prepared activation isn't fresh any more once it was entered or given back.
func TestActivationIsFreshUntilItIsUsed(t *testing.T) {
	m := newCountingMemory()
	var sub *Activation
	level := &Level{Memory: &m.Memory, Ops: []Op{execOp(func(*Frame) Verdict {
		if sub.root.fresh {
			t.Error("an entered instance is fresh")
		}
		return Done
	})}}
	if err := runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		closed := f.Open(level)
		closed.Prepare()
		if f.Close(closed); closed.root.fresh {
			t.Error("a closed instance is fresh")
		}
		sub = f.Open(level)
		if sub.root.fresh {
			t.Error("an instance is fresh before it is prepared")
		}
		if sub.Prepare(); !sub.root.fresh {
			t.Error("a prepared instance isn't fresh")
		}
		return f.Call(sub)
	})); err != nil {
		t.Error(err)
	}
}

// E7: CallFresh enters an activation that is marked, and refuses one that isn't.
func TestCallFreshRefusesWhatWasEntered(t *testing.T) {
	m, entered := newCountingMemory(), 0
	level := &Level{Memory: &m.Memory, Ops: []Op{execOp(func(*Frame) Verdict { entered++; return Done })}}
	prepared := execOp(func(f *Frame) Verdict {
		sub := f.Open(level)
		sub.Prepare()
		return f.CallFresh(sub)
	})
	if err := runOps(t, new(Activation), prepared); err != nil || entered != 1 {
		t.Errorf("%v; entered %d times", err, entered)
	}
	used := execOp(func(f *Frame) Verdict { return f.CallFresh(f.Open(level)) })
	wantCode(t, runOps(t, new(Activation), used), fault.InternalError)
	if entered != 1 {
		t.Errorf("entered %d times", entered)
	}
}

// C1: a run whose memory was used before gets a cancel that comes before its first turn.
func TestCancelBeforeTheFirstTurn(t *testing.T) {
	var inst Activation
	cancels := false
	inst.Init(&Level{Ops: []Op{execOp(func(*Frame) Verdict {
		if cancels {
			t.Error("a step of a cancelled run is executed")
		}
		return Done
	})}}, nil)
	for range 2 {
		r := NewRun(&inst, &Config{Context: context.Background()})
		if cancels && !r.Cancel(nil) {
			t.Error("the cancel is refused")
		}
		r.Turn()
		if !r.HasEnded() || (r.Result() != nil) != cancels {
			t.Errorf("over is %t, with %v", r.HasEnded(), r.Result())
		}
		r.Recycle()
		cancels = true
	}
}

func TestRecycledActivationServesTheNextRun(t *testing.T) {
	m := newCountingMemory()
	level, runs := &Level{Ops: []Op{execOp(nil)}, Memory: &m.Memory}, 100
	for range runs {
		r := NewRun(TakeRoot(level), &Config{Context: context.Background()})
		r.Turn()
		r.Recycle()
	}
	if m.made > runs/2 { // a pool may drop some, as it does under the race detector
		t.Errorf("%d were made for %d runs", m.made, runs)
	}
}
