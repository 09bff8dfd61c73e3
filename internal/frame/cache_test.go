package frame

import (
	"testing"

	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func pooledActivation(m *Memory) *Activation {
	in := new(Activation)
	in.Init(&Level{}, m)
	return in
}

// A run keeps a bounded number of activations; others go back to their pools.
func TestCacheIsBounded(t *testing.T) {
	r, pool := new(Run), new(Memory)
	var all []*Activation
	for range cacheSize + 1 {
		all = append(all, pooledActivation(pool))
		r.release(all[len(all)-1])
	}
	for i, in := range all {
		if went := in.root.gen.Load() == 1; went != (i == cacheSize) {
			t.Errorf("instance %d of %d has gone back to the pool: %v", i, cacheSize, went)
		}
	}
	for i := range cacheSize {
		if in := r.fromCache(pool); in != all[cacheSize-1-i] {
			t.Fatalf("the instance taken in place %d isn't the latest", i)
		}
	}
	if r.fromCache(pool) != nil {
		t.Error("an instance is at hand twice")
	}
}

// A run that has emptied its cache can keep as many again.
func TestCacheAfterItWasEmptied(t *testing.T) {
	r, pool := new(Run), new(Memory)
	for range cacheSize {
		r.release(pooledActivation(pool))
	}
	r.emptyCache()
	if r.fromCache(pool) != nil {
		t.Error("one is still at hand")
	}
	for i := range cacheSize {
		in := pooledActivation(pool)
		if r.release(in); r.cache != in {
			t.Fatalf("instance %d after that isn't at hand", i)
		}
	}
}

// An activation is found below those of other plans, unless these are many; taking it leaves the others in place.
func TestCacheOfSeveralPlans(t *testing.T) {
	r := new(Run)
	pools := make([]Memory, searched+1)
	for i := range pools {
		r.release(pooledActivation(&pools[i]))
	}
	if r.fromCache(&pools[0]) != nil {
		t.Errorf("looked further than %d", searched)
	}
	for _, i := range []int{1, 0, 3, 2, 4} {
		if in := r.fromCache(&pools[i]); in == nil || in.memory != &pools[i] {
			t.Errorf("the instance of plan %d isn't at hand", i)
		}
	}
	if r.cache != nil || r.cached != 0 {
		t.Error("some are left")
	}
}

// A suspended run keeps no activations that it doesn't use; a run that has ended keeps them for the next run in its
// memory.
func TestCacheOfSuspendedRun(t *testing.T) {
	loop, pool := tooltest.New(), new(Memory)
	sub, slot, gen := pooledActivation(pool), new(Wait), uint64(0)
	calls := func() Op { return execOp(func(f *Frame) Verdict { return f.Call(sub) }) }
	r := startRun(t, loop, new(Activation), calls(), &testOp{
		exec:   func(f *Frame) Verdict { gen = slot.Open(f); return Waiting },
		resume: func(f *Frame) Verdict { _ = slot.Close(f); return Done },
	}, calls())
	loop.Run()
	if sub.root.gen.Load() != 1 || r.fromCache(pool) != nil {
		t.Error("the suspended run keeps an instance")
	}
	completeElsewhere(slot, gen)
	loop.Run()
	if !r.HasEnded() || sub.root.gen.Load() != 1 || r.fromCache(pool) != sub {
		t.Error("the run hasn't ended, or the instance isn't at hand")
	}
}

// A run that yields keeps the activations of the turn for the next one.
func TestCacheOfRunThatYields(t *testing.T) {
	for name, op := range map[string]func(inst *Activation, closes Op) Op{
		"level":    func(inst *Activation, closes Op) Op { return callOp(inst, closes) },
		"branches": func(inst *Activation, closes Op) Op { return forkOp(inst, closes, execOp(nil), execOp(nil)) },
	} {
		loop, sub := tooltest.New(tooltest.WithChooser(func(int) int { return 0 })), pooledActivation(new(Memory))
		r := startRun(t, loop, new(Activation), op(new(Activation), execOp(func(f *Frame) Verdict {
			f.Close(sub)
			return Done
		})), execOp(nil))
		turns := 0
		for ; !r.HasEnded(); turns++ {
			if loop.Step(); turns > 0 && r.cache != sub {
				t.Errorf("%s: not at hand after turn %d", name, turns+1)
			}
		}
		if turns < 2 || sub.root.gen.Load() != 0 {
			t.Errorf("%s: %d turns, given back: %t", name, turns, sub.root.gen.Load() != 0)
		}
	}
}

// An activation that a run takes from what it keeps and gives back stays at hand, however often.
func TestCacheOfOneLevel(t *testing.T) {
	m := newCountingMemory()
	body := &Level{Memory: &m.Memory}
	if err := runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		for i := range cacheSize + 2 {
			if f.Close(f.Open(body)); f.Run().cache == nil {
				t.Fatalf("not at hand after %d uses", i+1)
			}
		}
		return Done
	})); err != nil {
		t.Error(err)
	}
}
