package binval

import (
	"math"
	"unicode/utf8"
	"unsafe"
)

// From makes a value of v, for the other side to read. Strings and slices are copied to memory
// of their own, pinned until the value is reset; the caller may change v afterwards. Strings
// get a terminator that doesn't count in the length. A nil slice and an empty one become the
// same value.
//
// Errors: ErrEncoding if v is a string that isn't valid Unicode, ErrLength if a string or slice is
// longer than 2^32-1. For a [Scalar] the error is always nil.
//
// Allocation: none for a Scalar and for an empty string or slice.
//
//spec:ftn12 §2.7.1; rule B5
func From[T Data](v T) (Value, error) { return encode(flagsOf[T](), unsafe.Pointer(&v)) }

// Lend makes a value of the elements of s themselves, without copying. They are pinned until the value is reset. Until then nobody
// may change them unless both sides agree on that; after the reset C must not read them. Assigning another slice to the caller's
// variable, for example by append, doesn't change what was lent.
//
// Errors: ErrLength if s is longer than 2^32-1.
//
//spec:ftn12 §2.7.1
func Lend[T Scalar](s []T) (Value, error) {
	f := Array | flagsOf[T]()
	if err := measure(len(s)); err != nil {
		return Value{}, err
	}
	return lend(f, unsafe.Pointer(unsafe.SliceData(s)), len(s)), nil
}

// encode makes a value of the variable at p, whose type has the flags f.
func encode(f Flags, p unsafe.Pointer) (Value, error) {
	switch {
	case f.isScalar():
		v := Value{typ: own(f)}
		copyBytes(v.scalar(), p, f.size())
		return v, nil
	case f == String:
		s := *(*string)(p)
		return text(f, unsafe.Pointer(unsafe.StringData(s)), len(s), utf8.ValidString(s))
	case f == UTF16:
		s := *(*[]uint16)(p)
		return text(f, unsafe.Pointer(unsafe.SliceData(s)), len(s), validUTF16(s))
	case f == UTF32:
		s := *(*[]rune)(p)
		return text(f, unsafe.Pointer(unsafe.SliceData(s)), len(s), validUTF32(s))
	case f.isArray():
		s := *(*[]byte)(p) // the slice header has the same layout for all types of elements
		if err := measure(len(s)); err != nil {
			return Value{}, err
		}
		return lend(f, clone(f, unsafe.Pointer(unsafe.SliceData(s)), len(s)), len(s)), nil
	default:
		return Value{}, wrong(ErrFlags, f.String())
	}
}

func text(f Flags, p unsafe.Pointer, n int, valid bool) (Value, error) {
	if err := measure(n); err != nil {
		return Value{}, err
	}
	if !valid {
		return Value{}, wrong(ErrEncoding, f.String())
	}
	return lend(f, clone(f, p, n), n), nil
}

func measure(n int) error {
	if uint64(n) > math.MaxUint32 {
		return wrong(ErrLength, "more than 2^32-1")
	}
	return nil
}

// clone returns a copy of n elements, or of n code units followed by a terminator. For n = 0 it returns nil.
func clone(f Flags, p unsafe.Pointer, n int) unsafe.Pointer {
	if n == 0 {
		return nil
	}
	to := room(f, n+f.terminators())
	copyBytes(to, p, uintptr(n)*f.size())
	return to
}

// room returns zeroed memory for n elements, aligned for them.
func room(f Flags, n int) unsafe.Pointer {
	switch f.size() {
	case 1:
		return unsafe.Pointer(unsafe.SliceData(make([]uint8, n)))
	case 2:
		return unsafe.Pointer(unsafe.SliceData(make([]uint16, n)))
	case 4:
		return unsafe.Pointer(unsafe.SliceData(make([]uint32, n)))
	default:
		return unsafe.Pointer(unsafe.SliceData(make([]uint64, n)))
	}
}

func copyBytes(to, from unsafe.Pointer, n uintptr) {
	copy(unsafe.Slice((*byte)(to), n), unsafe.Slice((*byte)(from), n))
}
