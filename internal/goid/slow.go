//go:build !(amd64 || arm64) || purego

package goid

// Fast reports whether Current reads an address instead of the number that the runtime prints.
const Fast = false

// Current returns a number of the calling goroutine that no other live goroutine has: see Number.
func Current() uint64 { return Number() }

// Stack returns the size of the calling goroutine's stack in bytes; 0 where it isn't known.
func Stack() uintptr { return 0 }
