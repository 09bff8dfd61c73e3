//go:build !386 && !arm && !mips && !mipsle

package binval_test

import (
	"errors"
	"math"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
)

// B6: a length has 32 bits. Slices on a 32-bit machine are shorter.
func TestTooLong(t *testing.T) {
	if err := binval.Measure(math.MaxUint32); err != nil {
		t.Errorf("2^32-1: %v", err)
	}
	if err := binval.Measure(math.MaxUint32 + 1); !errors.Is(err, binval.ErrLength) {
		t.Errorf("2^32: %v", err)
	}
}
