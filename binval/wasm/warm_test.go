package wasm

import (
	"context"
	"runtime"
	"testing"

	"github.com/futoin-go/asyncsteps/tool"
)

// taken returns n instances that are in use.
func taken(t *testing.T, n int) []*instance {
	t.Helper()
	m := loaded(t, asm{}.step(), Limits{Reuse: true})
	loop := tool.NewManual(tool.Options{})
	var all []*instance
	for range n {
		i, err := m.take(context.Background(), loop, true)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(i.end)
		all = append(all, i)
	}
	return all
}

func callGuest(t *testing.T, i *instance) {
	t.Helper()
	if at, err := i.guest(opAlloc, 0, 8, 0, 0); err != nil || at == 0 {
		t.Fatal(at, err)
	}
}

// Instances that share a place in warm take it from each other, and each has its own stacks.
func TestWarmStacks(t *testing.T) {
	all := taken(t, 2*len(warm)+1)
	found := 0
	for range 3 {
		for k, i := range all {
			callGuest(t, i)
			if i.stacks != nil {
				t.Fatal("the instance keeps its stacks")
			}
			s := warm[i.slot].stacks.Load()
			if s == nil {
				continue // a collection has just taken them
			}
			found++
			if s.in != i || s != i.idle.Value() {
				t.Fatal("what is warm isn't of the last call")
			}
			if other := all[(k+len(warm))%len(all)]; other != i && other.idle.Value() == s {
				t.Fatal("two instances have the same stacks")
			}
		}
	}
	if found == 0 {
		t.Error("no stacks are warm")
	}
}

func TestWarmStacksAreCollected(t *testing.T) {
	i := taken(t, 1)[0]
	callGuest(t, i)
	for n := 0; i.idle.Value() != nil; n++ {
		if n == 1000 {
			t.Fatal("the stacks are kept")
		}
		runtime.GC()
	}
	callGuest(t, i)
}

// Closing an instance removes its stacks from warm, where they would keep the instance reachable.
func TestClosedIsCool(t *testing.T) {
	i, err := taken(t, 1)[0].mod.newInstance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	callGuest(t, i)
	i.close()
	if s := warm[i.slot].stacks.Load(); s != nil && s.in == i {
		t.Error("its stacks are kept")
	}
}
