package goid

import (
	"runtime"
	"strings"
	"sync/atomic"
)

// Seat says which goroutine drives a loop that anybody may drive, one at a time. The zero Seat is empty.
//
// Sitting down costs nanoseconds: the goroutine's number, which costs microseconds, is looked up only once
// somebody has shown interest.
type Seat struct {
	taken atomic.Bool
	asked atomic.Bool
	id    atomic.Uint64 // who sits; zero if nobody, or if it was not looked up
}

// Take sits down, unless the seat is taken.
func (s *Seat) Take() bool {
	if !s.taken.CompareAndSwap(false, true) {
		return false
	}
	s.Sit()
	return true
}

// Sit is for who sits, from time to time: by now somebody may have asked.
func (s *Seat) Sit() {
	if s.asked.Load() && s.id.Load() == 0 {
		s.id.Store(Current())
	}
}

// Leave is for who sits.
func (s *Seat) Leave() {
	if s.asked.Load() {
		s.id.Store(0)
	}
	s.taken.Store(false)
}

// Taken reports whether anybody sits.
func (s *Seat) Taken() bool { return s.taken.Load() }

// Mine reports whether the calling goroutine sits here.
func (s *Seat) Mine() bool {
	s.asked.Store(true)
	if !s.taken.Load() {
		return false
	}
	if id := s.id.Load(); id != 0 {
		return id == Current()
	}
	return drives()
}

// drivers end the names of the functions that loops with a Seat run their callbacks in.
var drivers = [...]string{"tool.(*Manual).Iterate", "tooltest.(*Loop).Step", "internal/seam.drive"}

// drives reports whether the calling goroutine is inside one of the drivers, of whichever loop.
func drives() bool {
	var pcs [64]uintptr
	for skip := 0; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		frames := runtime.CallersFrames(pcs[:n])
		for more := n > 0; more; {
			var frame runtime.Frame
			frame, more = frames.Next()
			for _, name := range drivers {
				if strings.HasSuffix(frame.Function, name) {
					return true
				}
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}
