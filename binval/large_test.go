package binval_test

import (
	"errors"
	"math"
	"math/bits"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
)

// Lengths of other code are refused where Go has no slice for them: on a 32-bit machine the bytes of an array, or of what it is
// converted to, may be more than an int counts. The memory isn't read.
func TestForeignLarge(t *testing.T) {
	if bits.UintSize != 32 {
		t.Skip("a length of 32 bits is never too large")
	}
	bytes := func(v *binval.Value) error { _, err := v.Bytes(); return err }
	for _, tt := range []struct {
		flags  binval.Flags
		length uint32
		read   func(*binval.Value) error
		reason string
	}{
		{binval.Array | binval.Int64, math.MaxInt32/8 + 1, bytes, "the bytes"},
		{binval.Array | binval.Int64, math.MaxInt32/8 + 1, readAs[[]int64], "the bytes of the copy"},
		{binval.Array | binval.Int64, math.MaxInt32/8 + 1, viewAs[[]int64], "the bytes of the view"},
		{binval.Array | binval.Int8, math.MaxInt32/8 + 1, readAs[[]int64], "wider numbers"},
		{binval.Array | binval.Uint16, math.MaxInt32/4 + 1, readAs[[]float32], "wider numbers"},
		{binval.UTF16, math.MaxInt32 / 2, bytes, "the bytes with the terminator"},
		{binval.UTF32, math.MaxUint32/4 - 1024, bytes, "the bytes of a string"},
	} {
		v := binval.Foreign(&binval.ForeignTypes[tt.flags], nil, tt.length)
		v.SetRaw(uint64(4096), 0, tt.length)
		if err := tt.read(&v); !errors.Is(err, binval.ErrLength) {
			t.Errorf("%v, length %d: %v; reason: %s", tt.flags, tt.length, err, tt.reason)
		}
	}
}

// The size of a converted string is bounded in the same way. Only the address space of a 32-bit machine is needed, and little memory: the
// string is zero.
func TestForeignLargeString(t *testing.T) {
	if bits.UintSize != 32 || testing.Short() {
		t.Skip("needs half a gigabyte of the address space of 32 bits")
	}
	const n = math.MaxInt32/4 + 1
	mem := make([]byte, n+1)
	v := binval.Foreign(&binval.ForeignTypes[binval.String], unsafe.Pointer(&mem[0]), n)
	for name, read := range map[string]func(*binval.Value) error{"UTF-16": readAs[binval.String16], "UTF-32": readAs[binval.String32]} {
		if err := read(&v); !errors.Is(err, binval.ErrLength) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func readAs[T binval.Data](v *binval.Value) error { _, err := binval.To[T](v); return err }
func viewAs[T binval.Data](v *binval.Value) error { _, err := binval.View[T](v); return err }
