//go:build !linux

package wasm

import "testing"

// written returns the size of the memory that is in the heap here, also where the instances haven't touched it, as a negative number.
func written(_ *testing.T, m *Module) (n int64) {
	for s := range m.watch.watched {
		n -= int64(cap(s.in.linear.whole))
	}
	return n
}
