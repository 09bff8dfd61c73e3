package engine

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
)

// jsonEncoders and jsonDecoders are the interfaces of types that encode and decode themselves for package json. encoders also has
// encoding.BinaryMarshaler, by which types encode themselves for other packages.
var (
	jsonEncoders = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}
	encoders     = append(slices.Clip(jsonEncoders), reflect.TypeFor[encoding.BinaryMarshaler]())
	jsonDecoders = []reflect.Type{reflect.TypeFor[json.Unmarshaler](), reflect.TypeFor[encoding.TextUnmarshaler]()}
)

// unstorable returns why no converter of data can store values of type t; "" if one may.
func unstorable(t reflect.Type) string {
	seen := map[reflect.Type]bool{}
	var look func(t reflect.Type) string
	look = func(t reflect.Type) string {
		if seen[t] || marshals(t) {
			return ""
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Uintptr, reflect.Complex64, reflect.Complex128:
			return "a " + t.String() + " can't be stored"
		case reflect.Interface:
			if t.NumMethod() > 0 {
				return "it can't be told which type to make of a stored " + t.String()
			}
		case reflect.Pointer, reflect.Slice, reflect.Array:
			return look(t.Elem())
		case reflect.Map:
			if reason := look(t.Key()); reason != "" {
				return reason
			}
			return look(t.Elem())
		case reflect.Struct:
			return fields(t, look)
		default: // the other kinds are plain values
		}
		return ""
	}
	return look(t)
}

// fields returns why a struct can't be stored; "" if it can. Fields that aren't exported would be lost.
func fields(t reflect.Type, look func(reflect.Type) string) string {
	exported, private := 0, ""
	for _, f := range kept(t) {
		if !f.IsExported() {
			if f.Anonymous && f.Type.Kind() == reflect.Struct {
				continue // its own fields are among the fields of t
			}
			private = cmp.Or(private, f.Name)
			continue
		}
		exported++
		if reason := look(f.Type); reason != "" {
			return "field " + f.Name + " of " + t.String() + ": " + reason
		}
	}
	if exported == 0 && t.NumField() > 0 {
		return "a " + t.String() + " has no exported fields, and doesn't marshal itself"
	}
	if private != "" {
		return "field " + private + " of " + t.String() + ` isn't exported, and would be lost: export it, or give it the tag json:"-"`
	}
	return ""
}

// kept returns the visible fields of a struct without those with the tag json:"-", and without the fields of an embedded struct that has
// this tag.
func kept(t reflect.Type) []reflect.StructField {
	var left []int // the index of the last field with the tag; the indexes of that field's own fields come next, and begin with it
	return slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		if left != nil && len(f.Index) > len(left) && slices.Equal(f.Index[:len(left)], left) {
			return true
		}
		if f.Tag.Get("json") == "-" {
			left = f.Index
			return true
		}
		return f.Name == "_"
	})
}

func marshals(t reflect.Type) bool { return protobuf(t) || implements(t, encoders) }

// implements reports whether t, or a pointer to it, implements one of these interfaces.
func implements(t reflect.Type, one []reflect.Type) bool {
	return slices.ContainsFunc(one, func(m reflect.Type) bool { return t.Implements(m) || reflect.PointerTo(t).Implements(m) })
}

// HoldsProtobuf reports whether values of type t are or hold messages of protobuf that package json encodes field by field.
func HoldsProtobuf(t reflect.Type) bool {
	return holds(t, func(t reflect.Type) (is, opaque bool) {
		own := implements(t, jsonEncoders) // package json doesn't call MarshalBinary
		return !own && protobuf(t), own
	})
}

// holds reports whether test returns found for t, or for the type of a value that package json encodes as a part of a value of
// type t. It doesn't look inside of types that test calls opaque.
func holds(t reflect.Type, test func(reflect.Type) (found, opaque bool)) bool {
	seen := map[reflect.Type]bool{}
	var look func(t reflect.Type) bool
	look = func(t reflect.Type) bool {
		if seen[t] {
			return false
		}
		seen[t] = true
		if found, opaque := test(t); found || opaque {
			return found
		}
		switch t.Kind() { //nolint:exhaustive // the others hold nothing, or their values aren't known
		case reflect.Pointer, reflect.Slice, reflect.Array:
			return look(t.Elem())
		case reflect.Map:
			return look(t.Key()) || look(t.Elem())
		case reflect.Struct:
			for f := range t.Fields() {
				if (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" && look(f.Type) {
					return true
				}
			}
		}
		return false
	}
	return look(t)
}

// protobuf reports whether t is a message of protobuf, or a pointer to one.
func protobuf(t reflect.Type) bool {
	_, is := t.MethodByName("ProtoReflect")
	_, points := reflect.PointerTo(t).MethodByName("ProtoReflect")
	return is || points
}
