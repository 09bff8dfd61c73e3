package frame

import (
	"testing"

	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// pooled is an instance with that memory, in use.
func pooled(m *Memory) *Instance {
	in := new(Instance)
	in.Init(&Level{}, m)
	return in
}

// A run keeps a bounded number of instances at hand; the others go back to
// their pools.
func TestStashIsBounded(t *testing.T) {
	r, pool := new(Run), new(Memory)
	var all []*Instance
	for range stashed + 1 {
		all = append(all, pooled(pool))
		r.release(all[len(all)-1])
	}
	for i, in := range all {
		if went := in.gen.Load() == 1; went != (i == stashed) {
			t.Errorf("instance %d of %d has gone back to the pool: %v", i, stashed, went)
		}
	}
	for i := range stashed {
		if in := r.atHand(pool); in != all[stashed-1-i] {
			t.Fatalf("the instance taken in place %d isn't the latest", i)
		}
	}
	if r.atHand(pool) != nil {
		t.Error("an instance is at hand twice")
	}
}

// A run that has given its instances back has room for as many again.
func TestStashAfterDispense(t *testing.T) {
	r, pool := new(Run), new(Memory)
	for range stashed {
		r.release(pooled(pool))
	}
	r.dispense()
	if r.atHand(pool) != nil {
		t.Error("one is still at hand")
	}
	in := pooled(pool)
	if r.release(in); r.atHand(pool) != in {
		t.Error("the next one isn't at hand")
	}
}

// The instances of other plans that lie above one don't hide it, unless they
// are many; taking it leaves them.
func TestStashOfSeveralPlans(t *testing.T) {
	r := new(Run)
	pools := make([]Memory, searched+1)
	for i := range pools {
		r.release(pooled(&pools[i]))
	}
	if r.atHand(&pools[0]) != nil {
		t.Errorf("looked further than %d", searched)
	}
	for _, i := range []int{1, 0, 3, 2, 4} {
		if in := r.atHand(&pools[i]); in == nil || in.memory != &pools[i] {
			t.Errorf("the instance of plan %d isn't at hand", i)
		}
	}
	if r.idle != nil || r.stashed != 0 {
		t.Error("some are left")
	}
}

// A run that is suspended keeps no instance that it doesn't use; one that has
// ended keeps them for the next run of its plan.
func TestStashOfSuspendedRun(t *testing.T) {
	loop, pool := tooltest.New(), new(Memory)
	sub, slot, gen := pooled(pool), new(Slot), uint64(0)
	calls := func() Op { return does(func(f *Frame) Verdict { return f.Call(sub) }) }
	r := launch(t, loop, new(Instance), calls(), &scripted{
		exec:   func(f *Frame) Verdict { gen = slot.Open(f); return Waiting },
		resume: func(f *Frame) Verdict { _ = slot.Close(f); return Done },
	}, calls())
	loop.Run()
	if sub.gen.Load() != 1 || r.atHand(pool) != nil {
		t.Error("the suspended run keeps an instance")
	}
	completes(slot, gen)
	loop.Run()
	if !r.Over() || sub.gen.Load() != 1 || r.atHand(pool) != sub {
		t.Error("the run hasn't ended, or the instance isn't at hand")
	}
}
