package reserve

import (
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/goid"
)

// Depth records how much stack a function needs, as far as that is known. As a rule, a new goroutine that is about to call the
// function gets a stack of that size at once, while its stack is nearly empty and there is little to copy. Otherwise the stack
// would grow in steps, and each step would copy all frames. The zero Depth knows nothing yet, and learns nothing where
// [goid.Stack] is 0. Any goroutine may use it.
type Depth struct{ room atomic.Uint32 } // index in rooms

// rooms are functions that take a certain part of the stack, whether use is true or not. The first takes nothing. The
// others, with the few frames before them, need stacks of 4, 8, 16 and 32 KiB.
var rooms = [...]func(use bool){func(bool) {}, room[[2 << 10]byte], room[[6 << 10]byte], room[[14 << 10]byte], room[[30 << 10]byte]}

// roomOf returns the index of the room that makes a stack of size bytes, or the last index if no room makes so large a stack.
func roomOf(size uintptr) uint32 { return min(uint32(bits.Len(uint(size>>12))), uint32(len(rooms)-1)) }

// Of the calls that use a room, one in probes tries the next smaller room.
const probes = 16

// call calls fn on a goroutine that has called nothing before.
func (d *Depth) call(fn func()) {
	known := d.room.Load()
	given := known
	if known > 0 && rand.Uint32N(probes) == 0 {
		given--
	}
	rooms[given](false)
	before := goid.Stack()
	fn()
	// If the stack is smaller now, a garbage collection has shrunk it, because most of it was free.
	if after := goid.Stack(); after > before {
		d.room.CompareAndSwap(known, max(known, roomOf(after)))
	} else if given < known {
		d.room.CompareAndSwap(known, given)
	}
}

// room has a frame with room for an R: the stack grows before the first instruction of room. The frame is filled only if use is
// true.
//
//go:noinline
func room[R any](use bool) {
	if use {
		var r R
		fill(&r)
	}
}

//go:noinline
func fill[R any](*R) {}
