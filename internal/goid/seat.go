package goid

import "sync/atomic"

// Seat says which goroutine drives a loop that anybody may drive, one at a time. The zero Seat is empty.
type Seat struct{ id atomic.Uint64 }

// Take sits down, unless the seat is taken. Who took it calls Leave on the same goroutine, also if [runtime.Goexit] ends
// that: another goroutine could be taken for it afterwards.
func (s *Seat) Take() bool { return s.id.CompareAndSwap(0, Current()) }

// TakeAs is Take for the goroutine that Current gave id on.
func (s *Seat) TakeAs(id uint64) bool { return s.id.CompareAndSwap(0, id) }

// Leave is for who sits.
func (s *Seat) Leave() { s.id.Store(0) }

// Taken reports whether anybody sits.
func (s *Seat) Taken() bool { return s.id.Load() != 0 }

// Mine reports whether the calling goroutine sits here.
func (s *Seat) Mine() bool {
	id := s.id.Load()
	return id != 0 && id == Current()
}

// Sure is Mine where that takes nanoseconds, and false elsewhere.
func (s *Seat) Sure() bool { return Fast && s.Mine() }
