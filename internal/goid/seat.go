package goid

import (
	"math"
	"sync/atomic"
)

// Seat records which goroutine drives a loop that any goroutine may drive, one at a time. The zero Seat is empty.
type Seat struct{ id atomic.Uint64 }

// idle is the id of a seat that LeaveIdle has emptied. Current never returns it.
const idle = math.MaxUint64

// Take takes the seat for the calling goroutine, if the seat is empty, and reports whether it was. The goroutine must leave the
// seat before it ends, also by [runtime.Goexit]: a later goroutine may get the same number.
func (s *Seat) Take() bool { return s.TakeAs(Current()) }

// TakeAs is Take for the goroutine on which Current has returned id.
func (s *Seat) TakeAs(id uint64) bool {
	free := s.id.Load()
	return (free == 0 || free == idle) && s.id.CompareAndSwap(free, id)
}

// Leave empties the seat. Only the goroutine that has it may call it.
func (s *Seat) Leave() { s.id.Store(0) }

// LeaveIdle is Leave for a loop that has nothing to run: Idle reports true until the seat is taken again.
func (s *Seat) LeaveIdle() { s.id.Store(idle) }

// Idle reports whether the seat is empty and was left by LeaveIdle.
func (s *Seat) Idle() bool { return s.id.Load() == idle }

// Taken reports whether a goroutine has the seat.
func (s *Seat) Taken() bool {
	id := s.id.Load()
	return id != 0 && id != idle
}

// Mine reports whether the calling goroutine has the seat.
func (s *Seat) Mine() bool {
	id := s.id.Load()
	return id != 0 && id == Current()
}

// Sure is Mine where Fast is true, and false elsewhere.
func (s *Seat) Sure() bool { return Fast && s.Mine() }
