package binval

import (
	"math"
	"unsafe"
)

// Value is one value for the other side (FutoInBinaryValue of FTN12 §2.7.1, 32
// bytes on a 64-bit machine). The zero Value holds nothing. See the package documentation for who
// resets it.
//
// A pointer to the C struct may be converted to a *Value and back.
type Value struct {
	// None of these has a pointer's type: the union may hold a number that
	// looks like an address of the Go heap, which the garbage collector would
	// stumble over, and C memory isn't initialised when the first Value is
	// written to it.
	typ    uintptr // *Type
	_      gap
	union  uint64  // a scalar in its first bytes, or an address
	custom uintptr // in values of ours, the Handle of what is held
	length uint32  // elements, or code units without the terminator
}

// IsZero reports whether v holds nothing.
func (v *Value) IsZero() bool { return v.typ == 0 }

// Flags say what v holds: 0 if nothing. They may be flags that aren't valid, if
// others have made v.
func (v *Value) Flags() Flags {
	if t := v.kind(); t != nil {
		return t.flags
	}
	return 0
}

// Len is the number of elements of an array, or of code units of a string,
// without the terminator; it is 0 for other values.
func (v *Value) Len() int {
	if f := v.Flags(); f.Valid() && (f.isArray() || f.isString()) {
		return int(min(uint64(v.length), math.MaxInt))
	}
	return 0
}

// kind is the type of v, nil if v holds nothing. The pointer is read rather than
// converted, which is the one way from a number to a pointer that go vet and
// checkptr leave to the programmer.
func (v *Value) kind() *Type { return *(**Type)(unsafe.Pointer(&v.typ)) }

// pointer is the address in the union.
func (v *Value) pointer() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&v.union)) }

// scalar is where the union keeps a number: always in its first bytes, whatever
// the byte order.
func (v *Value) scalar() unsafe.Pointer { return unsafe.Pointer(&v.union) }

// setPointer stores an address.
func (v *Value) setPointer(p unsafe.Pointer) {
	v.union = 0
	*(*uintptr)(unsafe.Pointer(&v.union)) = uintptr(p) // as C does, whatever the byte order
}

// address is the address in the union, as a number.
func (v *Value) address() uintptr { return *(*uintptr)(unsafe.Pointer(&v.union)) }

// Take hands v on: it returns what v holds and leaves v empty.
func (v *Value) Take() Value {
	taken := *v
	*v = Value{}
	return taken
}
