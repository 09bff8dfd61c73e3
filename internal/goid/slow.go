//go:build !(amd64 || arm64) || purego

package goid

// Fast reports whether Current takes nanoseconds.
const Fast = false

// Current returns what tells the calling goroutine from all others that live. It is never zero.
func Current() uint64 { return Number() }
