package config

import (
	"reflect"
	"slices"
	"strings"
)

// A settingField is a field that encoding/json finds in a struct. It may be in an embedded struct.
type settingField struct {
	name   string
	tagged bool // name comes from a tag; otherwise it is the name in Go
	index  []int
}

// field returns the field of the struct v for key, or the zero Value if there is none. It allocates the embedded structs on the way
// to the field that are nil pointers.
func field(v reflect.Value, key string) (found reflect.Value, err error) {
	f, ok := find(fieldsOf(v.Type(), nil), key)
	if !ok {
		return found, nil
	}
	for _, i := range f.index {
		if v.Kind() == reflect.Pointer {
			if v, err = target(v); err != nil {
				return found, err
			}
		}
		v = v.Field(i)
	}
	return v, nil
}

// target returns what the pointer v points to. If v is nil, it sets v to a new value.
func target(v reflect.Value) (reflect.Value, error) {
	if v.IsNil() {
		if !v.CanSet() {
			return v, &Error{Reason: "it is in a nil pointer to " + v.Type().Elem().String() + ", which isn't exported"}
		}
		v.Set(reflect.New(v.Type().Elem()))
	}
	return v.Elem(), nil
}

// fieldsOf returns all fields of the struct t that have a name in JSON, in the order of the source. within are the structs in which
// t is embedded.
func fieldsOf(t reflect.Type, within []reflect.Type) (all []settingField) {
	within = append(slices.Clip(within), t)
	for f := range t.Fields() {
		held := f.Type
		if f.Anonymous && held.Kind() == reflect.Pointer {
			held = held.Elem()
		}
		embeds := f.Anonymous && held.Kind() == reflect.Struct
		tag := f.Tag.Get("json")
		if tag == "-" || !f.IsExported() && !embeds {
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		switch {
		case name != "":
			all = append(all, settingField{name, true, f.Index})
		case !embeds:
			all = append(all, settingField{f.Name, false, f.Index})
		case !slices.Contains(within, held):
			for _, inner := range fieldsOf(held, within) {
				inner.index = slices.Concat(f.Index, inner.index)
				all = append(all, inner)
			}
		}
	}
	return all
}

// find returns the field for key. A name from a tag must match exactly. For other names upper and lower case don't matter.
func find(all []settingField, key string) (found settingField, ok bool) {
	if found, ok = dominant(all, key); ok {
		return found, true
	}
	for _, f := range all {
		if f.tagged || !strings.EqualFold(f.name, key) {
			continue
		}
		if found, ok = dominant(all, f.name); ok && !found.tagged {
			return found, true
		}
	}
	return found, false
}

// dominant returns the field with this name. If there are several, it is the outermost one. If several are equally far out, it is the
// one with a tag. If that doesn't leave exactly one, ok is false.
func dominant(all []settingField, name string) (found settingField, ok bool) {
	for _, f := range all {
		depth, tagged := len(f.index)-len(found.index), f.tagged && !found.tagged
		switch {
		case f.name != name:
		case found.index == nil || depth < 0 || depth == 0 && tagged:
			found, ok = f, true
		case depth == 0 && f.tagged == found.tagged:
			ok = false
		}
	}
	return found, ok
}
