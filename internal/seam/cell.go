package seam

import "reflect"

// Cell is typed storage between two steps of one instance.
type Cell[T any] struct{ V T }

// Clear drops the value.
func (c *Cell[T]) Clear() {
	var zero T
	c.V = zero
}

// refers says whether values of t keep other memory alive, so that a cell of
// them has to be cleared.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() > 0 && refers(t.Elem())
	case reflect.Struct:
		return refersInside(t)
	default:
		return t.Kind() > reflect.Complex128
	}
}

// refersInside is refers for a struct. It is apart because the iterator
// allocates as soon as the function that has it begins.
func refersInside(t reflect.Type) bool {
	for f := range t.Fields() {
		if refers(f.Type) {
			return true
		}
	}
	return false
}
