//go:build !(amd64 || arm64) || purego

package goid

// Fast reports whether Current reads an address, instead of what the runtime prints.
const Fast = false

// Current returns a number that the calling goroutine has and no other live one: see Number.
func Current() uint64 { return Number() }

// Stack returns the size of the calling goroutine's stack in bytes; 0 where it isn't known.
func Stack() uintptr { return 0 }
