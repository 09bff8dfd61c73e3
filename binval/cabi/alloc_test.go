//go:build cgo && !race

// With the race detector on, sync.Pool drops some of what it is given, so nothing that is pooled can be counted.

package cabi_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/tool"
)

// The memory of an instance serves the next one.
func TestAllocsOfInstance(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	root := cabi.NewRoot(m)
	defer root.Free()
	for range 200 { // more than the pointers that aren't used again at once
		instance(root, m)
	}
	if got := testing.AllocsPerRun(100, func() { instance(root, m) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}
