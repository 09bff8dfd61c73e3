package goid

import (
	"runtime"
	"sync"
	"testing"
)

func TestCurrent(t *testing.T) {
	t.Run("Current", func(t *testing.T) { tellsApart(t, Current) })
	t.Run("number", func(t *testing.T) { tellsApart(t, Number) })
}

func tellsApart(t *testing.T, current func() uint64) {
	mine := current()
	if mine == 0 {
		t.Fatal("the goroutine isn't known")
	}
	if deep := deeper(1000, current); deep != mine {
		t.Errorf("same goroutine: %d, with a larger stack %d", mine, deep)
	}
	const n = 50
	var told, all sync.WaitGroup
	told.Add(n)
	ids := make([]uint64, n)
	for i := range ids {
		all.Go(func() {
			ids[i] = current()
			told.Done()
			told.Wait()
			if again := current(); again != ids[i] {
				t.Errorf("same goroutine: %d, then %d", ids[i], again)
			}
		})
	}
	all.Wait()
	seen := map[uint64]bool{mine: true}
	for _, id := range ids {
		if id == 0 || seen[id] {
			t.Errorf("%d is zero or not unique", id)
		}
		seen[id] = true
	}
}

// deeper calls current n frames further down, so that the stack is moved.
func deeper(n int, current func() uint64) uint64 {
	var frame [64]byte
	if n == 0 {
		return current()
	}
	defer runtime.KeepAlive(&frame)
	return deeper(n-1, current)
}

func TestSeat(t *testing.T) {
	var s Seat
	if s.Mine() || s.Sure() || s.Taken() {
		t.Error("an empty seat is taken")
	}
	if !s.Take() {
		t.Fatal("cannot take an empty seat")
	}
	if s.Take() {
		t.Error("took a taken seat")
	}
	if !s.Mine() || s.Sure() != Fast {
		t.Error("who sits is not recognised")
	}
	var other sync.WaitGroup
	other.Go(func() {
		if s.Mine() || s.Sure() {
			t.Error("another goroutine is taken for who sits")
		}
	})
	other.Wait()
	s.Leave()
	if s.Mine() || s.Sure() || s.Taken() {
		t.Error("the seat is taken after Leave")
	}
}

// A seat that was left idle can be taken like an empty one, and isn't idle any more then.
func TestSeatIdle(t *testing.T) {
	var s Seat
	if s.Idle() {
		t.Error("the zero Seat is idle")
	}
	for range 2 {
		if !s.Take() || s.Idle() {
			t.Fatal("cannot take the seat")
		}
		s.LeaveIdle()
		if !s.Idle() || s.Taken() || s.Mine() || s.Sure() {
			t.Error("the seat isn't idle and empty")
		}
	}
	if !s.Take() || s.Take() {
		t.Error("an idle seat isn't taken once")
	}
	s.Leave()
	if s.Idle() {
		t.Error("idle, though the goroutine that left didn't say so")
	}
}

func TestStack(t *testing.T) {
	size := make(chan uintptr)
	for _, depth := range []int{0, 100, 1000} {
		go func() {
			before := Stack()
			deeper(depth, func() uint64 { size <- Stack(); return 0 })
			size <- Stack() - before
		}()
		got, grown := <-size, <-size
		if !Fast {
			if got != 0 {
				t.Errorf("the size of a stack isn't known, but it is %d", got)
			}
			continue
		}
		if frames := uintptr(depth) * 64; got < max(2048, frames) || got > max(65536, 64*frames) || got&(got-1) != 0 {
			t.Errorf("with %d frames a stack of %d bytes", depth, got)
		}
		if depth == 1000 && grown < 32768 {
			t.Errorf("with %d frames a stack grew by %d", depth, grown)
		}
	}
}
