package binval

import (
	"math"
	"unsafe"
)

// Value is one value for the other side (FutoInBinaryValue in C, 32 bytes on a 64-bit machine).
// The zero Value holds nothing. See the package documentation for who resets it.
//
// A pointer to the C struct may be converted to a *Value and back.
//
//spec:ftn12 §2.7.1
type Value struct {
	// No field has a pointer type. The union may hold a number that looks like an address of
	// the Go heap, at which the garbage collector would fail. And C memory isn't initialised
	// when the first Value is written to it: a write barrier would read garbage there.
	typ    uintptr // *Type
	_      gap
	union  uint64  // a scalar in its first bytes, or an address
	custom uintptr // for values made by this package, the Handle of the table entry; 0 if there is none
	length uint32  // elements, or code units without the terminator
}

// IsZero reports whether v holds nothing.
func (v *Value) IsZero() bool { return v.typ == 0 }

// Flags returns the flags of v, 0 if v holds nothing. The flags may be invalid if other code
// has made v.
func (v *Value) Flags() Flags {
	if t := v.kind(); t != nil {
		return t.flags
	}
	return 0
}

// Len returns the number of elements of an array, or of code units of a string without the terminator. It is 0 for other values.
func (v *Value) Len() int {
	if f := v.Flags(); f.Valid() && (f.isArray() || f.isString()) {
		return int(min(uint64(v.length), math.MaxInt))
	}
	return 0
}

// kind returns the type of v, nil if v holds nothing. It reads the memory of typ as a pointer instead of converting the number, because
// go vet and checkptr object to a conversion.
func (v *Value) kind() *Type { return *(**Type)(unsafe.Pointer(&v.typ)) }

func (v *Value) pointer() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&v.union)) }

// scalar returns the address of the number in the union. The number is in the union's first bytes, in either byte order.
func (v *Value) scalar() unsafe.Pointer { return unsafe.Pointer(&v.union) }

func (v *Value) setPointer(p unsafe.Pointer) {
	v.union = 0
	*(*uintptr)(unsafe.Pointer(&v.union)) = uintptr(p) // the first bytes, as in C, in either byte order
}

func (v *Value) address() uintptr { return *(*uintptr)(unsafe.Pointer(&v.union)) }

// Take hands v on: it returns what v holds and leaves v empty.
func (v *Value) Take() Value {
	taken := *v
	*v = Value{}
	return taken
}
