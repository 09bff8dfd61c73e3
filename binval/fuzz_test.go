package binval_test

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
)

// Reading a value as any type succeeds or fails with InvalidRequest. View fails for any type but the value's own; for that one To and
// View both succeed or both fail. In values made by this package each field may be damaged. A value made by other code has any flags;
// its pointer is nil, in the first page, or that of a buffer as long as the length says, with room for a terminator.
func FuzzDecode(f *testing.F) {
	f.Add(true, uint8(0x02), []byte("text"), uint64(0), uint64(0), uint32(4))
	f.Add(true, uint8(0x17), []byte{1, 2, 3, 4}, uint64(1), uint64(0), uint32(2))
	f.Add(true, uint8(0x01), []byte{}, uint64(0), uint64(1<<32), uint32(0))
	f.Add(false, uint8(0x03), []byte{0, 0xD8, 0, 0}, uint64(0), uint64(0), uint32(1))
	f.Add(false, uint8(0x15), []byte{0, 1, 2}, uint64(0), uint64(0), uint32(3))
	f.Add(false, uint8(0x0E), []byte{}, uint64(0x7FC00000), uint64(0), uint32(0))
	f.Add(false, uint8(0xFF), []byte{}, uint64(1<<64-1), uint64(1<<64-1), uint32(1<<32-1))
	f.Fuzz(func(t *testing.T, own bool, flags uint8, data []byte, union, custom uint64, length uint32) {
		var v binval.Value
		buffer := make([]uint64, (len(data)+7)/8+1) // aligned, with a terminator
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&buffer[0])), len(data)), data)
		if own {
			v = must(binval.From(data))
			_, u, c, n := v.Raw()
			damaged := v
			defer func() { v.Reset() }()
			damaged.SetRaw(u+union, c^uintptr(custom), n^length)
			damaged.SetType(typeOf(flags))
			v, damaged = damaged, v
			defer damaged.Reset()
		} else {
			length = min(length, uint32(len(data)/8)) // elements have up to 8 bytes
			v = binval.Foreign(&binval.ForeignTypes[flags], unsafe.Pointer(&buffer[0]), length)
			if binval.Flags(flags) >= binval.Bool && binval.Flags(flags) <= binval.Float64 || union < 4096 {
				v.SetRaw(union, uintptr(custom), length)
			}
		}
		for f, by := range readers {
			to, view := by[0](&v), by[1](&v)
			for _, err := range []error{to, view} {
				if err != nil && !errors.Is(err, fault.InvalidRequest) {
					t.Errorf("%v as %v: %v", v.Flags(), f, err)
				}
			}
			if v.Flags() == f && (to == nil) != (view == nil) {
				t.Errorf("%v: To says %v, View says %v", f, to, view)
			}
			if v.Flags() != f && view == nil {
				t.Errorf("%v was viewed as %v", v.Flags(), f)
			}
		}
		if _, err := binval.ToCustom[int](&v); err == nil {
			t.Error("there is no object")
		}
		if _, err := binval.ForeignCustom(&v); err == nil && (own || v.Flags() != binval.Custom) {
			t.Error("there is no foreign object")
		}
		_, _ = v.Len(), v.Flags().String()
		runtime.KeepAlive(buffer)
	})
}

// typeOf returns the type of this package's values with these flags, masked because the table of types ends at 0x1F.
func typeOf(flags uint8) uintptr {
	return binval.OwnType(binval.Flags(flags & 0x1F))
}
