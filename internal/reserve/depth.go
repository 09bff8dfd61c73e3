package reserve

import (
	"math/bits"
	"math/rand/v2"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/goid"
)

// Depth records how much stack a function needs, as far as that is known. A new goroutine that is about to call the
// function as a rule gets a stack of that size at once, while its stack is nearly empty and there is little to copy. Otherwise
// the stack would grow in steps, and all frames on it would be copied each time. The zero Depth knows nothing yet, and
// learns nothing where [goid.Stack] is 0. Any goroutine may use it.
type Depth struct{ room atomic.Uint32 } // index in rooms

// rooms are functions that take a certain part of the stack, whether use is true or not. The first takes nothing. The
// others, with the few frames before them, need stacks of 4, 8, 16 and 32 KiB.
var rooms = [...]func(use bool){func(bool) {}, room[[2 << 10]byte], room[[6 << 10]byte], room[[14 << 10]byte], room[[30 << 10]byte]}

// roomOf returns the index of the room that makes a stack of size bytes; the last index if the stack is larger than all.
func roomOf(size uintptr) uint32 { return min(uint32(bits.Len(uint(size>>12))), uint32(len(rooms)-1)) }

// One of probes calls with a room tries whether a smaller stack is enough.
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
	// A stack that is smaller now was shrunk by a garbage collection, because most of it was free.
	if after := goid.Stack(); after > before {
		d.room.CompareAndSwap(known, max(known, roomOf(after)))
	} else if given < known {
		d.room.CompareAndSwap(known, given)
	}
}

// room has a frame with room for an R. The stack grows for it before its first instruction; the frame is filled only if use
// is true.
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
