package frame

import (
	"errors"
	"testing"

	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// G9: a section that was left before the run has looked at its eviction isn't evicted any more.
func TestEvictionComesTooLate(t *testing.T) {
	var l Lease
	if err := runOps(t, new(Activation), execOp(func(f *Frame) Verdict {
		if ref := l.Begin(f); !ref.Live() || !ref.Evict(errFirst) || ref.Live() {
			t.Error("the section can't be evicted")
		}
		l.End()
		return Done
	}), execOp(nil)); err != nil {
		t.Error(err)
	}
}

// G9: sections that are evicted at once don't refer to each other any more once the run has looked at them.
func TestEvictionsAtOnce(t *testing.T) {
	var leases [2]Lease
	var refs [2]LeaseRef
	var branches [2]Op
	for i := range branches {
		branches[i] = execOp(func(f *Frame) Verdict {
			refs[i] = leases[i].Begin(f)
			return wait(f)
		})
	}
	inst, loop := new(Activation), tooltest.New()
	run := startRun(t, loop, inst, forkOp(inst, branches[:]...))
	loop.Run()
	if !refs[0].Evict(errFirst) || !refs[1].Evict(errSecond) {
		t.Error("a section can't be evicted")
	}
	loop.Run()
	for i := range leases {
		if leases[i].next != nil {
			t.Errorf("section %d refers to the other one", i)
		}
	}
	if !run.HasEnded() || run.Result() == nil {
		t.Errorf("ended: %t, with %v", run.HasEnded(), run.Result())
	}
}

// G9, P3: of sections that are evicted before the run looks, the one that was evicted first fails first.
func TestEvictionsInOrder(t *testing.T) {
	for _, first := range []int{0, 1} {
		var leases [2]Lease
		var refs [2]LeaseRef
		var branches [2]Op
		for i := range branches {
			branches[i] = execOp(func(f *Frame) Verdict {
				refs[i] = leases[i].Begin(f)
				return wait(f)
			})
		}
		inst, loop := new(Activation), tooltest.New()
		run := startRun(t, loop, inst, forkOp(inst, branches[:]...))
		loop.Run()
		if !refs[first].Evict(errFirst) || !refs[1-first].Evict(errSecond) {
			t.Error("a section can't be evicted")
		}
		loop.Run()
		if err := run.Result(); !errors.Is(err, errFirst) || errors.Is(err, errSecond) {
			t.Errorf("section %d was evicted first, and the run ended with %v", first, err)
		}
	}
}
