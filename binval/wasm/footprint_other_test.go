//go:build !linux

package wasm

import "testing"

// written returns the size of the memory of the instances in use, as a negative number. Here that memory is in the heap, touched or not, so
// the sum with the growth of the heap leaves it out.
func written(_ *testing.T, m *Module) (n int64) {
	for s := range m.watch.watched {
		n -= int64(cap(s.in.linear.whole))
	}
	return n
}
