package frame

import (
	"context"
	"sync"
	"testing"
)

// cleared counts how often a cell is cleared.
type cleared int

func (c *cleared) Clear() { *c++ }

// The instance of sub-steps is at hand for the run's next ones, once, however
// they end.
func TestInstanceGoesBack(t *testing.T) {
	again := &Signal{Again: true}
	tests := map[string]struct {
		ops []Op
		end error
	}{
		"after success":        {ops: []Op{does(nil)}},
		"after failure":        {ops: []Op{fails(errFirst)}},
		"after a break":        {ops: []Op{leaves(&Signal{})}},
		"after a continue":     {ops: []Op{leaves(again)}},
		"after failing deeper": {ops: []Op{hold(new(Instance), fails(errFirst))}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var cell cleared
			sub := new(Instance)
			sub.Init(&Level{Ops: test.ops}, []Cell{&cell}, new(sync.Pool), sub)
			sub.Prepare()
			var r *Run
			_ = play(t, new(Instance), &scripted{
				loop:   true,
				exec:   func(f *Frame) Verdict { r = f.Run(); return f.Call(sub) },
				resume: func(f *Frame) Verdict { f.Signal(); return Done },
			})
			if cell != 1 || sub.Fresh() {
				t.Errorf("cleared %d times; fresh: %v", cell, sub.Fresh())
			}
			if r.Idle(new(sync.Pool)) != nil || r.Idle(sub.pool) != sub || r.Idle(sub.pool) != nil {
				t.Error("the instance isn't at hand, or not once")
			}
		})
	}
}

// An instance can be entered once: when it is, and when it goes back unused.
func TestInstanceIsFreshUntilItIsUsed(t *testing.T) {
	sub := new(Instance)
	sub.Init(&Level{Ops: []Op{does(func(*Frame) Verdict {
		if sub.Fresh() {
			t.Error("an entered instance is fresh")
		}
		return Done
	})}}, nil, new(sync.Pool), sub)
	if sub.Fresh() {
		t.Error("an instance is fresh before it is prepared")
	}
	sub.Prepare()
	if !sub.Fresh() {
		t.Error("a prepared instance isn't fresh")
	}
	if err := play(t, new(Instance), does(func(f *Frame) Verdict { return f.Call(sub) })); err != nil {
		t.Error(err)
	}
	sub.Prepare()
	sub.Release()
	if sub.Fresh() {
		t.Error("a released instance is fresh")
	}
}

// Storage that an op makes late is cleared as the rest.
func TestKeptCellIsCleared(t *testing.T) {
	var first, late cleared
	sub := new(Instance)
	sub.Init(new(Level), []Cell{&first}, new(sync.Pool), sub)
	sub.Release()
	sub.Keep(&late)
	sub.Release()
	if first != 2 || late != 1 {
		t.Errorf("cleared %d and %d times, want 2 and 1", first, late)
	}
}

// C1: memory that a run has used before hears a cancel that comes before the
// first turn.
func TestCancelBeforeTheFirstTurn(t *testing.T) {
	var inst Instance
	cancels := false
	inst.Init(&Level{Ops: []Op{does(func(*Frame) Verdict {
		if cancels {
			t.Error("a step of a cancelled run is executed")
		}
		return Done
	})}}, nil, new(sync.Pool), &inst)
	for range 2 {
		r := NewRun(&inst, Config{Context: context.Background()})
		if cancels && !r.Cancel(nil) {
			t.Error("the cancel is refused")
		}
		r.Turn()
		if !r.Over() || (r.Result() != nil) != cancels {
			t.Errorf("over is %t, with %v", r.Over(), r.Result())
		}
		r.Recycle()
		cancels = true
	}
}
