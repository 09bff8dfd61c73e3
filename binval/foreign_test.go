package binval_test

import (
	"errors"
	"math/bits"
	"runtime"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
)

func at[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

func TestForeign(t *testing.T) {
	arena := make([]uint64, 4)
	for _, tt := range []struct {
		flags  binval.Flags
		p      unsafe.Pointer
		n      uint32
		err    error
		reason string
	}{
		{binval.String, at([]byte("abc\x00")), 3, nil, ""},
		{binval.String, at([]byte("a\x00c\x00")), 3, nil, "NUL is kept (B5)"},
		{binval.String, at([]byte("abc\x00")), 2, binval.ErrLength, "no terminator there (B5)"},
		{binval.String, at([]byte("a\xff\x00")), 2, binval.ErrEncoding, "not UTF-8"},
		{binval.String, nil, 0, nil, "nothing is empty"},
		{binval.String, nil, 1, binval.ErrLength, "nil with length"},
		{binval.UTF16, at([]uint16{'a', 0xD800, 0}), 2, binval.ErrEncoding, "half a pair"},
		{binval.UTF16, at([]uint16{'a', 0}), 1, nil, ""},
		{binval.UTF16, at([]uint16{'a', 'b'}), 1, binval.ErrLength, "no terminator there"},
		{binval.UTF16, unsafe.Add(at(arena), 1), 1, binval.ErrPointer, "misaligned"},
		{binval.UTF32, at([]rune{'a', 0}), 1, nil, ""},
		{binval.UTF32, at([]rune{0x7FFFFFFF, 0}), 1, binval.ErrEncoding, "beyond Unicode"},
		{binval.UTF32, at([]rune{'a', 1}), 1, binval.ErrLength, "no terminator there"},
		{binval.Array | binval.Bool, at([]byte{0, 1}), 2, nil, ""},
		{binval.Array | binval.Bool, at([]byte{0, 2}), 2, binval.ErrRange, "2 is no bool"},
		{binval.Array | binval.Int64, at(arena), 4, nil, ""},
		{binval.Array | binval.Int64, nil, 0, nil, "nothing is empty"},
		{binval.Array | binval.Int64, nil, 4, binval.ErrLength, "nil with length"},
		{binval.Array | binval.Int64, unsafe.Add(at(arena), 4), 1, binval.ErrPointer, "misaligned"},
		{binval.Array, at(arena), 1, binval.ErrFlags, "an array of nothing"},
		{binval.Array | binval.Custom, at(arena), 1, binval.ErrFlags, "an array of objects"},
		{binval.Array | binval.String, at(arena), 1, binval.ErrFlags, "an array of strings"},
		{0x20 | binval.Int8, at(arena), 1, binval.ErrFlags, "a flag that isn't defined"},
		{0, at(arena), 1, binval.ErrFlags, "a type without a kind"},
		{0xFF, at(arena), 1, binval.ErrFlags, "all flags"},
	} {
		v := binval.Foreign(&binval.ForeignTypes[tt.flags], tt.p, tt.n)
		for how, read := range map[string]func(*binval.Value) error{"To": toItself, "View": viewItself} {
			if err := read(&v); !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Errorf("%s of %v, length %d: %v, want %v; reason: %s", how, tt.flags, tt.n, err, tt.err, tt.reason)
			}
		}
		if err := v.Reset(); err != nil || !v.IsZero() {
			t.Errorf("reset of %v: %v", tt.flags, err)
		}
		runtime.KeepAlive(tt.p)
	}
}

// Pointers that lead nowhere are refused, and not followed.
func TestForeignNowhere(t *testing.T) {
	for _, tt := range []struct {
		union  uint64
		length uint32
		err    error
		reason string
	}{
		{1, 1, binval.ErrPointer, "a small number"},
		{4095, 0, binval.ErrPointer, "the first page"},
		{1<<64 - 8, 100, binval.ErrLength, "around the end of memory"},
	} {
		v := binval.Foreign(&binval.ForeignTypes[binval.Array|binval.Uint8], nil, 0)
		v.SetRaw(tt.union, 0, tt.length)
		if err := viewItself(&v); !errors.Is(err, tt.err) {
			t.Errorf("%#x: %v, want %v; reason: %s", tt.union, err, tt.err, tt.reason)
		}
	}
	for _, typ := range []uintptr{1, 4095, 4097} {
		var v binval.Value
		v.SetType(typ)
		if err := toItselfAs[int8](&v); !errors.Is(err, binval.ErrPointer) {
			t.Errorf("type %#x: %v", typ, err)
		}
		if err := v.Reset(); !errors.Is(err, binval.ErrPointer) || v.IsZero() {
			t.Errorf("reset of type %#x: %v", typ, err)
		}
	}
}

func TestForeignBool(t *testing.T) {
	v := binval.Foreign(&binval.ForeignTypes[binval.Bool], nil, 0)
	for _, x := range []byte{0, 1, 2, 255} {
		raw := [8]byte{x, 0xAA, 0xAA}
		v.SetRaw(*(*uint64)(unsafe.Pointer(&raw)), 0, 0)
		got, err := binval.To[bool](&v)
		if x < 2 && (got != (x == 1) || err != nil) || x >= 2 && (got || !errors.Is(err, binval.ErrRange)) {
			t.Errorf("%d is %t, %v", x, got, err)
		}
	}
}

// The fields were overwritten after this package had made the values.
func TestDamaged(t *testing.T) {
	for _, tt := range []struct {
		damage func(union *uint64, custom *uintptr, length *uint32)
		err    error
		reason string
	}{
		{func(_ *uint64, _ *uintptr, n *uint32) { *n = 2 }, nil, "shorter is fine"},
		{func(u *uint64, _ *uintptr, n *uint32) { *u += 4; *n-- }, nil, "a part is fine"},
		{func(u *uint64, _ *uintptr, n *uint32) { *u += 12; *n = 0 }, nil, "the empty end, too"},
		{func(_ *uint64, _ *uintptr, n *uint32) { *n++ }, binval.ErrLength, "longer than what is held"},
		{func(_ *uint64, _ *uintptr, n *uint32) { *n = 1<<32 - 1 }, binval.ErrLength, "much longer"},
		{func(u *uint64, _ *uintptr, _ *uint32) { *u += 4 }, binval.ErrLength, "beyond the end"},
		{func(u *uint64, _ *uintptr, _ *uint32) { *u -= 4 }, binval.ErrPointer, "before the start"},
		{func(u *uint64, _ *uintptr, n *uint32) { *u++; *n = 1 }, binval.ErrPointer, "misaligned"},
		{func(u *uint64, _ *uintptr, _ *uint32) { *u = 0 }, binval.ErrPointer, "nil"},
		{func(_ *uint64, h *uintptr, _ *uint32) { *h = 0 }, binval.ErrLength, "length without memory"},
		{func(_ *uint64, h *uintptr, _ *uint32) { *h += 1 << (bits.UintSize / 2) }, binval.ErrStale, "another generation"},
		{func(_ *uint64, h *uintptr, _ *uint32) { *h += 1000 }, binval.ErrStale, "another entry"},
	} {
		v := must(binval.From([]int32{1, 2, 3}))
		damaged := v
		_, union, custom, length := damaged.Raw()
		tt.damage(&union, &custom, &length)
		damaged.SetRaw(union, custom, length)
		for how, read := range map[string]func(*binval.Value) error{"To": toItself, "View": viewItself} {
			if err := read(&damaged); !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
				t.Errorf("%s: %v, want %v; reason: %s", how, err, tt.err, tt.reason)
			}
		}
		v.Reset()
	}
}

// Bytes can't be read as a string, because they have no terminator, nor as larger elements that don't fit or aren't aligned.
func TestDamagedType(t *testing.T) {
	for f, want := range map[binval.Flags]error{
		binval.String:                binval.ErrLength,
		binval.UTF16:                 binval.ErrLength,
		binval.Array | binval.Uint32: binval.ErrLength,
		binval.Array | binval.Int8:   nil,
		binval.Array | binval.Custom: binval.ErrFlags,
		binval.Flags(0):              binval.ErrFlags,
	} {
		v := must(binval.From(make([]byte, 16)))
		damaged := v
		damaged.SetType(binval.OwnType(f))
		if err := viewItself(&damaged); !errors.Is(err, want) || (err == nil) != (want == nil) {
			t.Errorf("bytes as %v: %v, want %v", f, err, want)
		}
		v.Reset()
	}
	v := must(binval.From(make([]byte, 16)))
	_, union, custom, _ := v.Raw()
	damaged := v
	damaged.SetType(binval.OwnType(binval.Array | binval.Uint64))
	damaged.SetRaw(union+1, custom, 1)
	if err := viewItself(&damaged); !errors.Is(err, binval.ErrPointer) {
		t.Errorf("misaligned: %v", err)
	}
	v.Reset()
}

func TestConfusedHandles(t *testing.T) {
	object, array := binval.FromCustom(1, nil), must(binval.From([]int8{1}))
	_, union, memory, n := array.Raw()
	_, none, thing, _ := object.Raw()
	array.SetRaw(union, thing, n)
	if err := viewItself(&array); !errors.Is(err, binval.ErrStale) {
		t.Errorf("array with an object's handle: %v", err)
	}
	object.SetRaw(none, memory, 0)
	if _, err := binval.ToCustom[int](&object); !errors.Is(err, binval.ErrStale) {
		t.Errorf("object with an array's handle: %v", err)
	}
	object.Reset()
	array.Reset()
}
