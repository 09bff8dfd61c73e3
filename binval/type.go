package binval

import (
	"sync/atomic"
	"unsafe"
)

// Type describes the values of one type (FutoInType in C); a [Value] has a pointer to it. C must not change it.
//
//spec:ftn12 §2.7.1
type Type struct {
	flags   Flags
	cleanup uintptr // void (*)(FutoInBinaryValue*), or 0
}

// types are the types of the values made here, indexed by their flags. They are in a variable, not on the heap, so that C may keep their
// addresses.
var types = func() (all [Array | KindMask + 1]Type) {
	for f := range all {
		all[f].flags = Flags(f)
	}
	return all
}()

// own returns the address of the Type of the values with the flags f that this package makes.
func own(f Flags) uintptr { return uintptr(unsafe.Pointer(&types[f])) }

// isOwn reports whether this package has made v. It doesn't follow the pointer.
func (v *Value) isOwn() bool {
	return v.typ-uintptr(unsafe.Pointer(&types)) < unsafe.Sizeof(types)
}

// Linkage holds the functions that need cgo.
type Linkage struct {
	// Cleanup is the address of a C function void f(FutoInBinaryValue *v) that calls
	// [Value.Reset] on v. It becomes the cleanup function of the values made here, so that C
	// can reset them. Numbers and bools have none.
	Cleanup uintptr

	// Call calls the C function void f(FutoInBinaryValue *v) at address f, with the address of
	// a copy of v in C memory.
	Call func(f uintptr, v Value)
}

var linked atomic.Pointer[Linkage]

// Link lets C reset the values of Go, and Go those of C. Package binval/cabi calls it before it
// hands a Value to C. Any goroutine may call it.
func Link(l Linkage) {
	for f := range types {
		if Flags(f).Valid() && !Flags(f).isScalar() {
			atomic.StoreUintptr(&types[f].cleanup, l.Cleanup)
		}
	}
	linked.Store(&l)
}
