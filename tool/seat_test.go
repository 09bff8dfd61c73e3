package tool_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/tool"
)

// Enter makes the caller the loop's goroutine, so Iterate has to wait for Leave.
func TestManualEnter(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	if !m.Enter() {
		t.Fatal("can't enter an idle loop")
	}
	if !m.InLoop() {
		t.Error("not in the loop after Enter")
	}
	var other sync.WaitGroup
	other.Go(func() {
		if m.InLoop() || m.Enter() {
			t.Error("another goroutine is in the loop too")
		}
	})
	other.Wait()
	must(t)(m.Immediate(func() {}))
	if m.Iterate() {
		t.Error("iterated while somebody was inside")
	}
	if !m.Turn() || m.Turn() {
		t.Error("who is inside couldn't take the one turn there was")
	}
	must(t)(m.Immediate(func() {}))
	m.Leave()
	if m.InLoop() || !m.Iterate() {
		t.Error("Leave didn't give the loop free")
	}
}

// A goroutine that ends in a callback is not the loop's any more: its descriptor is another goroutine's soon.
func TestManualForgetsWhoEnded(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	must(t)(m.Immediate(runtime.Goexit))
	var ended sync.WaitGroup
	ended.Go(func() { m.Iterate() })
	ended.Wait()
	var others sync.WaitGroup
	for range 200 {
		others.Go(func() {
			if m.InLoop() {
				t.Error("in the loop of another")
			}
		})
	}
	others.Wait()
	must(t)(m.Immediate(func() {}))
	if !m.Iterate() {
		t.Error("the loop can't be driven on")
	}
}

// Reset forgets the channel that a parked goroutine was woken by: it may belong to a synctest bubble.
func TestManualResetDropsWake(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	before := m.Wake()
	if err := m.Reset(); err != nil {
		t.Fatal(err)
	}
	if m.Wake() == before {
		t.Error("the channel outlived Reset")
	}
}
