package binval

import "unsafe"

// Held is how many values of Go own something.
func Held() int { return holding.Len() }

// IsLinked reports whether C can be called.
func IsLinked() bool { return linked.Load() != nil }

// Unlink undoes Link.
func Unlink() {
	Link(Linkage{})
	linked.Store(nil)
}

// Foreign makes a value as others do: with a type that isn't ours. It must be
// valid as long as t and what is at p are.
func Foreign(t *Type, p unsafe.Pointer, n uint32) Value {
	v := Value{typ: uintptr(unsafe.Pointer(t)), length: n}
	v.setPointer(p)
	return v
}

// ForeignTypes are types of somebody else, by flags, without cleanup.
var ForeignTypes = func() (all [256]Type) {
	for f := range all {
		all[f].flags = Flags(f)
	}
	return all
}()

// NewType is a foreign type with the address of a cleanup function. It stays for
// ever, since a Value doesn't keep its type alive.
func NewType(f Flags, cleanup uintptr) *Type {
	t := &Type{flags: f, cleanup: cleanup}
	newTypes = append(newTypes, t)
	return t
}

var newTypes []*Type

// Raw gives and takes the parts of a value.
func (v *Value) Raw() (typ uintptr, union uint64, custom uintptr, length uint32) {
	return v.typ, v.union, v.custom, v.length
}

// SetRaw damages v.
func (v *Value) SetRaw(union uint64, custom uintptr, length uint32) {
	v.union, v.custom, v.length = union, custom, length
}

// SetType damages v.
func (v *Value) SetType(typ uintptr) { v.typ = typ }

// OwnType is our type for flags.
func OwnType(f Flags) uintptr { return own(f) }

// Measure is the check of lengths, which no test can reach otherwise without
// more than 4 GiB.
var Measure = measure
