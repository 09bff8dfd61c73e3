package goid

import (
	"math"
	"sync/atomic"
)

// Seat says which goroutine drives a loop that anybody may drive, one at a time. The zero Seat is empty.
type Seat struct{ id atomic.Uint64 }

// idle is the value of an empty seat whose loop had nothing to run when it was left. No goroutine is called so.
const idle = math.MaxUint64

// Take sits down, unless the seat is taken. Who took it calls Leave on the same goroutine, also if [runtime.Goexit] ends
// that: another goroutine could be taken for it afterwards.
func (s *Seat) Take() bool { return s.TakeAs(Current()) }

// TakeAs is Take for the goroutine that Current gave id on.
func (s *Seat) TakeAs(id uint64) bool {
	free := s.id.Load()
	return (free == 0 || free == idle) && s.id.CompareAndSwap(free, id)
}

// Leave is for who sits.
func (s *Seat) Leave() { s.id.Store(0) }

// LeaveIdle is Leave that says what Idle returns until somebody sits again.
func (s *Seat) LeaveIdle() { s.id.Store(idle) }

// Idle reports whether the seat is empty and was left by LeaveIdle.
func (s *Seat) Idle() bool { return s.id.Load() == idle }

// Taken reports whether anybody sits.
func (s *Seat) Taken() bool {
	id := s.id.Load()
	return id != 0 && id != idle
}

// Mine reports whether the calling goroutine sits here.
func (s *Seat) Mine() bool {
	id := s.id.Load()
	return id != 0 && id == Current()
}

// Sure is Mine where that takes nanoseconds, and false elsewhere.
func (s *Seat) Sure() bool { return Fast && s.Mine() }
