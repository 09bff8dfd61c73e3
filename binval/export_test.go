package binval

import "unsafe"

func Held() int { return holding.Len() }

func IsLinked() bool { return linked.Load() != nil }

func Unlink() {
	Link(Linkage{})
	linked.Store(nil)
}

// Foreign makes a value as other code does, with a type that this package hasn't made. t and the memory at p must stay valid as long as
// the value is used.
func Foreign(t *Type, p unsafe.Pointer, n uint32) Value {
	v := Value{typ: uintptr(unsafe.Pointer(t)), length: n}
	v.setPointer(p)
	return v
}

// WithCustom returns v with custom data, as other code sets it.
func WithCustom(v Value, data uintptr) Value {
	v.custom = data
	return v
}

var ForeignTypes = func() (all [256]Type) {
	for f := range all {
		all[f].flags = Flags(f)
	}
	return all
}()

// NewType makes a type as other code does, with the address of a cleanup function. The type is kept, because a Value doesn't keep its
// type alive.
func NewType(f Flags, cleanup uintptr) *Type {
	t := &Type{flags: f, cleanup: cleanup}
	newTypes = append(newTypes, t)
	return t
}

var newTypes []*Type

func (v *Value) Raw() (typ uintptr, union uint64, custom uintptr, length uint32) {
	return v.typ, v.union, v.custom, v.length
}

// SetRaw overwrites all fields of v but its type, as a mistake in C may.
func (v *Value) SetRaw(union uint64, custom uintptr, length uint32) {
	v.union, v.custom, v.length = union, custom, length
}

func (v *Value) SetType(typ uintptr) { v.typ = typ }

func OwnType(f Flags) uintptr { return own(f) }

// Measure exports measure: through From, only a string or slice of at least 4 GiB would make it fail.
var Measure = measure
