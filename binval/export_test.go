package binval

import "unsafe"

// Held returns the number of values made by Go that own memory or an object.
func Held() int { return holding.Len() }

// IsLinked reports whether C can be called.
func IsLinked() bool { return linked.Load() != nil }

// Unlink undoes Link.
func Unlink() {
	Link(Linkage{})
	linked.Store(nil)
}

// Foreign makes a value like other code does, with a type that this package hasn't made. t and the memory at p must
// stay valid as long as the value is used.
func Foreign(t *Type, p unsafe.Pointer, n uint32) Value {
	v := Value{typ: uintptr(unsafe.Pointer(t)), length: n}
	v.setPointer(p)
	return v
}

// ForeignTypes holds a type made by other code for each combination of flags. They have no cleanup function.
var ForeignTypes = func() (all [256]Type) {
	for f := range all {
		all[f].flags = Flags(f)
	}
	return all
}()

// NewType makes a type like other code does, with the address of a cleanup function. The type is kept for ever, because
// a Value doesn't keep its type alive.
func NewType(f Flags, cleanup uintptr) *Type {
	t := &Type{flags: f, cleanup: cleanup}
	newTypes = append(newTypes, t)
	return t
}

var newTypes []*Type

// Raw returns the fields of v.
func (v *Value) Raw() (typ uintptr, union uint64, custom uintptr, length uint32) {
	return v.typ, v.union, v.custom, v.length
}

// SetRaw overwrites all fields of v but its type, as a mistake in C may.
func (v *Value) SetRaw(union uint64, custom uintptr, length uint32) {
	v.union, v.custom, v.length = union, custom, length
}

// SetType overwrites the type of v.
func (v *Value) SetType(typ uintptr) { v.typ = typ }

// OwnType returns the type of the values with the flags f that this package makes.
func OwnType(f Flags) uintptr { return own(f) }

// Measure checks a length. Tests call it directly, since otherwise they would need more than 4 GiB of memory.
var Measure = measure
