//go:build (amd64 || arm64) && !purego

package goid

// Fast reports whether Current reads an address instead of the number that the runtime prints.
const Fast = true

// Current returns a number of the calling goroutine that no other live goroutine has. It is never zero.
func Current() uint64 { return uint64(getg()) }

// getg returns the address of the calling goroutine's descriptor.
func getg() uintptr

// Stack returns the size of the calling goroutine's stack in bytes; 0 where it isn't known.
func Stack() uintptr {
	lo, hi := stack()
	if size := hi - lo; size&(size-1) == 0 {
		return size
	}
	return 0 // the runtime has changed its descriptors
}

// stack returns the bounds of the stack, with which a descriptor begins.
func stack() (lo, hi uintptr)
