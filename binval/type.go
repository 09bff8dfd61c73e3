package binval

import (
	"sync/atomic"
	"unsafe"
)

// Type is what a [Value] points to as its type (FutoInType of FTN12 §2.7.1). C
// must not change it.
type Type struct {
	flags   Flags
	cleanup uintptr // void (*)(FutoInBinaryValue*), or 0
}

// types are those of the values made here, by their flags. They lie in a
// variable, not in the heap, so C may keep their addresses for ever.
var types = func() (all [Array | KindMask + 1]Type) {
	for f := range all {
		all[f].flags = Flags(f)
	}
	return all
}()

// own is the type for values of ours.
func own(f Flags) uintptr { return uintptr(unsafe.Pointer(&types[f])) }

// isOwn reports whether this package has made v. It doesn't follow the pointer.
func (v *Value) isOwn() bool {
	return v.typ-uintptr(unsafe.Pointer(&types)) < unsafe.Sizeof(types)
}

// Linkage is what only cgo can do.
type Linkage struct {
	// Cleanup is the address of a C function void f(FutoInBinaryValue *v) that
	// calls [Value.Reset] on v. The types of values made here get it, so that C
	// can reset them.
	Cleanup uintptr

	// Call calls the C function void f(FutoInBinaryValue *v) at an address,
	// with the address of a copy of v in C memory.
	Call func(f uintptr, v Value)
}

var linked atomic.Pointer[Linkage]

// Link lets C reset the values of Go, and Go those of C. It is for package
// binval/cabi, which calls it before the first Value gets to C.
func Link(l Linkage) {
	for f := range types {
		if Flags(f).Valid() && !Flags(f).isScalar() {
			atomic.StoreUintptr(&types[f].cleanup, l.Cleanup)
		}
	}
	linked.Store(&l)
}
