//go:build wasip1

package guest

import (
	"math"
	"slices"
	"unsafe"
)

// Data permits the types of values that a step takes and gives. An int of the host's step crosses as an int64, or as an int32 if the host
// is a 32-bit machine. The other types of numbers of the host, and slices of other elements, cross as they are, and can't be taken here.
// Structs and the like cross as JSON, in a string.
type Data interface {
	bool | int32 | int64 | float64 | string | []byte
}

// lent keeps the strings and bytes that were given and not released yet, by their addresses.
var lent = map[uint32][]byte{}

// Done makes the step succeed without a value.
func Done(as Steps) { tableSuccess(uint32(as), 0) }

// Give makes the step succeed with a value, which is copied. The step of the host fails if its result is a string that isn't valid UTF-8.
func Give[T Data](as Steps, v T) {
	given = [4]value{}
	switch v := any(v).(type) {
	case bool:
		given[0] = number(kindBool, uint64(*(*uint8)(unsafe.Pointer(&v))))
	case int32:
		given[0] = number(kindInt32, uint64(uint32(v)))
	case int64:
		given[0] = number(kindInt64, uint64(v))
	case float64:
		given[0] = number(kindDouble, math.Float64bits(v))
	case string:
		given[0] = block(kindString, text(v), len(v))
	case []byte:
		given[0] = block(kindBytes, slices.Concat(v, []byte{0}), len(v))
	}
	tableSuccess(uint32(as), uint32(uintptr(unsafe.Pointer(&given))))
}

// given is where the host finds the values of a Give. It isn't on the stack, which moves when it grows.
var given [4]value

func number(k int, bits uint64) value {
	return value{typ: uint32(uintptr(unsafe.Pointer(&kinds[k]))), union: bits}
}

func block(k int, b []byte, n int) value {
	lent[address(b)] = b
	v := number(k, uint64(address(b)))
	v.length = uint32(n)
	return v
}

// Take returns the argument of a step, and frees the host's copy of it. args is the third parameter of the export. ok is false if there is
// no argument, if it is of another type, or if it is a string or bytes and was taken before. A step that doesn't take a string or bytes calls
// [Drop], unless its instance isn't reused.
func Take[T Data](args uint32) (v T, ok bool) {
	in := (*value)(pointer(args))
	if in.typ == 0 {
		return v, false
	}
	flags := (*kind)(pointer(in.typ)).flags
	switch out := any(&v).(type) {
	case *bool:
		*out, ok = in.union&0xff == 1, flags == kindBool
	case *int32:
		*out, ok = int32(uint32(in.union)), flags == kindInt32
	case *int64:
		*out, ok = int64(in.union), flags == kindInt64
	case *float64:
		*out, ok = math.Float64frombits(in.union), flags == kindDouble
	case *string:
		if ok = flags == kindString; ok {
			*out = string(taken(in))
		}
	case *[]byte:
		if ok = flags == kindBytes; ok {
			*out = taken(in)
		}
	}
	if !ok {
		var zero T
		return zero, false
	}
	return v, true
}

func taken(in *value) []byte {
	b := append([]byte(nil), bytes(uint32(in.union), in.length)...)
	in.drop()
	return b
}

// Drop frees the host's copy of the argument of a step that doesn't take it. args is the third parameter of the export.
func Drop(args uint32) {
	for k := range uint32(4) {
		(*value)(pointer(args + k*uint32(unsafe.Sizeof(value{})))).drop()
	}
}

func (v *value) drop() {
	if v.typ == 0 {
		return
	}
	k, at := (*kind)(pointer(v.typ)), uint32(v.union)
	switch {
	case k.cleanup == released:
		delete(lent, at)
	case k.flags < kindBool || k.flags >= kindArray:
		delete(blocks, at)
	}
	*v = value{}
}

// String returns the argument of a step that takes a string; "" if there is none, or it isn't a string.
func String(args uint32) string {
	s, _ := Take[string](args)
	return s
}
