//go:build cgo && !race

// Not with the race detector: there sync.Pool drops some objects on purpose, so allocations can't be counted.

package cabi_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/binval/cabi"
	"github.com/futoin-go/asyncsteps/tool"
)

// Later instances use the memory of those that have ended.
func TestAllocsOfInstance(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	root := cabi.NewRoot(m)
	defer root.Free()
	for range 200 { // more than quarantine, so that pointers are used again
		instance(root, m)
	}
	if got := testing.AllocsPerRun(100, func() { instance(root, m) }); got > 0 {
		t.Errorf("%v allocations", got)
	}
}
