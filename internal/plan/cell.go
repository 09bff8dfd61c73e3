package plan

import (
	"reflect"
	"unsafe"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Cell is the offset of a value in the activation of its level. All runs share the op that holds
// the Cell, but each run has activations of its own.
type Cell[T any] struct{ off uintptr }

// At returns the address of the value in the activation of f, which must be of the level that
// the Cell was made for.
func (c Cell[T]) At(f *frame.Frame) *T { return (*T)(unsafe.Add(unsafe.Pointer(f), c.off)) }

// at makes a *T of untyped memory. No function but at and Cell.At does that. They rely on the layout, which guarantees that
// a T is stored at off.
func at[T any](f *frame.Frame, off uintptr) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(f), off))
}

// InputOf returns the address of the input of an activation, whose level must have a T as its
// input.
func InputOf[T any](in *frame.Activation) *T {
	f := in.Frame()
	return at[T](f, f.Level().In)
}

// Give stores v as the input of in, whose level takes a T.
func Give[T any](in *frame.Activation, v T) { *InputOf[T](in) = v }

// OutputOf returns the address of the result of the steps of f. The steps must have ended.
func OutputOf[T any](f *frame.Frame) *T { return at[T](f, f.Level().Out) }

func made(p unsafe.Pointer) *frame.Activation { return (*frame.Activation)(p) }

// Refers reports whether values of t can refer to other memory. If so, a cell for a value of t
// has to be cleared.
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

func refersInside(t reflect.Type) bool {
	for f := range t.Fields() {
		if Refers(f.Type) {
			return true
		}
	}
	return false
}
