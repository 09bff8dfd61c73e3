package engine

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
)

// marshalers are the interfaces of types that encode themselves.
var marshalers = []reflect.Type{
	reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[encoding.BinaryMarshaler](),
}

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

// fields looks at the fields of a struct. A struct that only has unexported fields would be stored empty.
func fields(t reflect.Type, look func(reflect.Type) string) string {
	exported := 0
	for f := range slices.Values(reflect.VisibleFields(t)) {
		if !f.IsExported() || f.Tag.Get("json") == "-" {
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
	return ""
}

func marshals(t reflect.Type) bool {
	// Protobuf messages have the method on the pointer type.
	if _, is := reflect.PointerTo(t).MethodByName("ProtoReflect"); is {
		return true
	}
	return slices.ContainsFunc(marshalers, func(m reflect.Type) bool {
		return t.Implements(m) || reflect.PointerTo(t).Implements(m)
	})
}
