//go:build !race

// With the race detector on, sync.Pool drops some of what it is given, so nothing that is pooled can be counted.

package cabi_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/tool"
)

// The memory of an instance serves the next one.
func TestAllocsOfInstance(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	for range 200 { // more than the pointers that aren't used again at once
		instance(t, m)
	}
	if got := testing.AllocsPerRun(100, func() { instance(t, m) }); got > 12 {
		t.Errorf("%v allocations", got)
	}
}
