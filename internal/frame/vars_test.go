package frame

import (
	"context"
	"sync"
	"testing"
)

// droppable counts how often it gives back what it owns.
type droppable int

func (d *droppable) Drop() { *d++ }

// S1: the variables end with their run, and those that own memory outside of Go
// give it back.
func TestVarsEndWithTheirRun(t *testing.T) {
	var inst Instance
	var owner droppable
	inst.Init(&Level{Ops: []Op{does(nil)}}, nil, new(sync.Pool), &inst)
	for _, n := range []int{1, retained, retained + 1} {
		owner = 0
		run := NewRun(&inst, Config{Context: context.Background()})
		for i := range n {
			run.Vars().Set(string(rune('a'+i)), &owner)
		}
		run.Turn()
		run.Recycle()
		if int(owner) != n {
			t.Errorf("%d of %d variables are dropped", owner, n)
		}
		next := NewRun(&inst, Config{Context: context.Background()})
		for key := range next.Vars().All() {
			t.Fatalf("the next run has the variable %q", key)
		}
		next.Turn()
		next.Recycle()
	}
}
