package tool_test

import (
	"sync"
	"testing"

	"github.com/futoin-go/asyncsteps/tool"
)

// Enter makes the caller the loop's goroutine, so Iterate has to wait for Leave.
func TestManualEnter(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	m.InLoop() // from now on it remembers who sits
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

// Who has entered is recognised from the first turn after the question on.
func TestManualTurnRemembers(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	m.Enter()
	defer m.Leave()
	m.InLoop() // the first question
	if m.Turn(); !m.InLoop() {
		t.Error("not in the loop after a turn")
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
