package binval

import "strconv"

// Flags say what a [Value] holds: one of the kinds, and [Array] if it holds a vector of them.
// In C they are FutoInTypeFlags.
//
//spec:ftn12 §2.7.1
type Flags uint8

// The kinds. Their numbers are part of the binary interface.
const (
	Custom   Flags = 0x01 // an object that only its maker understands
	String   Flags = 0x02 // UTF-8
	UTF16    Flags = 0x03 // UTF-16, in the byte order of the machine
	UTF32    Flags = 0x04 // UTF-32, in the byte order of the machine
	Bool     Flags = 0x05
	Int8     Flags = 0x06
	Int16    Flags = 0x07
	Int32    Flags = 0x08
	Int64    Flags = 0x09
	Uint8    Flags = 0x0A
	Uint16   Flags = 0x0B
	Uint32   Flags = 0x0C
	Uint64   Flags = 0x0D
	Float32  Flags = 0x0E
	Float64  Flags = 0x0F
	KindMask Flags = 0x0F // the bits of the kind

	Array    Flags = 0x10 // a vector of Bool or numbers
	formMask Flags = 0xF0 // FTN_COMPLEX_TYPE_MASK; Array is the only bit defined
)

// kinds holds the properties of each kind. size is the size of one element or code unit, in bytes.
var kinds = [KindMask + 1]struct {
	name string
	size uintptr
}{
	Custom:  {"custom", 0},
	String:  {"string", 1},
	UTF16:   {"string16", 2},
	UTF32:   {"string32", 4},
	Bool:    {"bool", 1},
	Int8:    {"int8", 1},
	Int16:   {"int16", 2},
	Int32:   {"int32", 4},
	Int64:   {"int64", 8},
	Uint8:   {"uint8", 1},
	Uint16:  {"uint16", 2},
	Uint32:  {"uint32", 4},
	Uint64:  {"uint64", 8},
	Float32: {"float32", 4},
	Float64: {"float64", 8},
}

// Kind returns f without [Array].
func (f Flags) Kind() Flags { return f & KindMask }

// Valid reports whether f is one of the kinds, or an array of Bool or numbers.
func (f Flags) Valid() bool {
	switch f &^ KindMask {
	case 0:
		return f.Kind() != 0
	case Array:
		return f.Kind() >= Bool
	default:
		return false
	}
}

// String returns f as text: "int8", "[]float64", "string16", "custom". It returns "none" for 0,
// the flags of an empty Value, and a text like "flags 0x20" for other flags that aren't valid.
func (f Flags) String() string {
	switch {
	case f == 0:
		return "none"
	case !f.Valid():
		return "flags 0x" + strconv.FormatUint(uint64(f), 16)
	case f&Array != 0:
		return "[]" + kinds[f.Kind()].name
	default:
		return kinds[f].name
	}
}

func (f Flags) isArray() bool  { return f&Array != 0 }
func (f Flags) isString() bool { return f >= String && f <= UTF32 }
func (f Flags) isScalar() bool { return f >= Bool && f <= Float64 }

func (f Flags) size() uintptr { return kinds[f.Kind()].size }

// terminators returns how many code units follow those that the length counts.
func (f Flags) terminators() int {
	if f.isString() {
		return 1
	}
	return 0
}
