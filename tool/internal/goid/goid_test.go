package goid

import (
	"sync"
	"testing"
)

func TestCurrent(t *testing.T) {
	mine := Current()
	if mine == 0 {
		t.Fatal("goroutine number not found in the stack's header")
	}
	if again := Current(); again != mine {
		t.Errorf("same goroutine: %d, then %d", mine, again)
	}
	const n = 50
	var all sync.WaitGroup
	ids := make([]uint64, n)
	for i := range ids {
		all.Go(func() { ids[i] = Current() })
	}
	all.Wait()
	seen := map[uint64]bool{mine: true}
	for _, id := range ids {
		if id == 0 || seen[id] {
			t.Errorf("number %d is zero or not unique", id)
		}
		seen[id] = true
	}
}

func TestSeat(t *testing.T) {
	var s Seat
	if s.Mine() || s.Taken() {
		t.Error("an empty seat is taken")
	}
	if !s.Take() {
		t.Fatal("cannot take an empty seat")
	}
	if s.Take() {
		t.Error("took a taken seat")
	}
	if !s.Mine() {
		t.Error("who sits is not recognised")
	}
	var other sync.WaitGroup
	other.Go(func() {
		if s.Mine() {
			t.Error("another goroutine is taken for who sits")
		}
	})
	other.Wait()
	s.Leave()
	if s.Mine() || s.Taken() {
		t.Error("the seat is taken after Leave")
	}
}
