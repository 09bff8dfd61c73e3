package plan

import (
	"reflect"
	"unsafe"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Cell says where a value is in the activation of its level: so many bytes from
// the beginning. The op that knows the Cell is shared by all runs; the memory
// belongs to one.
type Cell[T any] struct{ off uintptr }

// At is the value in the activation of f, which must be of the level that the
// Cell was made for.
func (c Cell[T]) At(f *frame.Frame) *T { return at[T](f, c.off) }

// at is the only place where memory gets its type by the word of its caller. The
// activation of f was allocated with a T at off: see layout.
func at[T any](f *frame.Frame, off uintptr) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(f), off))
}

// InputOf is where the input of an activation is, which must be of a level whose
// input is a T.
func InputOf[T any](in *frame.Activation) *T {
	f := in.Frame()
	return at[T](f, f.Level().In)
}

// Give stores the input of an activation of a level whose input is a T.
func Give[T any](in *frame.Activation, v T) { *InputOf[T](in) = v }

// OutputOf is the result of steps that have ended, in f.
func OutputOf[T any](f *frame.Frame) *T { return at[T](f, f.Level().Out) }

// made is the activation that was allocated at p.
func made(p unsafe.Pointer) *frame.Activation { return (*frame.Activation)(p) }

// Refers says whether values of t keep other memory alive, so that a cell of
// them has to be cleared.
func Refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && Refers(t.Elem())
	case reflect.Struct:
		return refersInside(t)
	default:
		return t.Kind() > reflect.Complex128
	}
}

// refersInside is Refers for a struct. It is apart because the iterator
// allocates as soon as the function that has it begins.
func refersInside(t reflect.Type) bool {
	for f := range t.Fields() {
		if Refers(f.Type) {
			return true
		}
	}
	return false
}
