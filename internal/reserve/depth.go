package reserve

import (
	"math/rand/v2"
	"sync/atomic"
	"unsafe"
)

// Depth is what is known of how deep a function goes. A new goroutine that is about to call it gets a stack of that size at once, while the
// stack is nearly empty and there is nothing to copy. Otherwise it would grow in steps, and be copied each time with all frames on it. The zero Depth
// knows nothing yet. Any goroutine may use it.
type Depth struct{ steps atomic.Uint32 }

// rooms are functions that take a certain part of the stack, whatever they are called with. Together with the few frames before them they
// fill stacks of 4, 8, 16 and 32 KiB.
var rooms = [...]func(use bool){func(bool) {}, room[[2 << 10]byte], room[[6 << 10]byte], room[[14 << 10]byte], room[[30 << 10]byte]}

// probes is how often it is tried whether less is enough: one time in so many.
const probes = 16

// call calls fn on a goroutine that has called nothing before.
func (d *Depth) call(fn func()) {
	steps := d.steps.Load()
	probe := steps > 0 && rand.Uint32N(probes) == 0
	given := steps
	if probe {
		given--
	}
	rooms[given](false)
	before := place()
	fn()
	switch grown := place() != before; {
	case grown && !probe && steps < uint32(len(rooms)-1):
		d.steps.CompareAndSwap(steps, steps+1)
	case !grown && probe:
		d.steps.CompareAndSwap(steps, given)
	}
}

// place returns where the stack of the goroutine is: another place after it has grown. The number is compared with another one, and never
// made a pointer.
//
//go:noinline
func place() uintptr {
	var here byte
	return uintptr(unsafe.Pointer(&here))
}

// room has a frame as large as R. The stack grows for it before its first instruction; a false use keeps it from being filled.
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
