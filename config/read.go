package config

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
)

// Load reads a file as [Read] reads text. Its errors name the file.
func Load[T any](file string, into *T) error {
	text, err := os.ReadFile(file) //nolint:gosec // the caller's file
	if err != nil {
		return err
	}
	if err := Read(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// Read reads text, a JSON value, into a struct of settings. Fields that text doesn't have, or has as null, keep their
// values, so set the defaults before. The method UnmarshalJSON of a field's type may treat null in another way. Names are
// those of encoding/json, but a name from a tag must match in upper and lower case too. The option string of a tag
// has no effect: numbers aren't read from text. A list in text replaces the list in the field. The entries of a map in text
// are added to the map in the field. Elements of an array that text doesn't have become zero.
//
// Structs, lists, arrays and maps are read element by element. Types with a method UnmarshalJSON or UnmarshalText, slices of
// bytes and everything else are read by encoding/json, and so are the keys of maps.
//
// Errors: an [*Error]. It has the path of the field if there is no such field, if the value is of another type, or if a
// method UnmarshalJSON or UnmarshalText refuses the value. After an error into is as it was, with one exception: what its
// pointers and fields of type json.RawMessage point to may have changed.
func Read[T any](text []byte, into *T) error {
	read := *into
	if err := decode(text, reflect.ValueOf(&read).Elem()); err != nil {
		return at("", err)
	}
	*into = read
	return nil
}

// decode reads text into v, which must be settable.
func decode(text json.RawMessage, v reflect.Value) error {
	if v.CanInterface() { // an embedded struct whose type isn't exported is read field by field
		switch whole := v.Addr().Interface().(type) {
		case json.Unmarshaler, encoding.TextUnmarshaler:
			return json.Unmarshal(text, whole)
		}
	}
	if string(text) == "null" {
		return nil
	}
	switch v.Kind() { //nolint:exhaustive // the others are read by encoding/json
	case reflect.Pointer:
		to, err := target(v)
		if err != nil {
			return err
		}
		return decode(text, to)
	case reflect.Struct:
		return decodeStruct(text, v)
	case reflect.Interface:
		if to := v.Elem(); to.Kind() == reflect.Pointer && !to.IsNil() {
			return decode(text, to.Elem())
		}
	case reflect.Array:
		return decodeList(text, v)
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 { // bytes are text
			return decodeList(text, v)
		}
		v.SetZero() // encoding/json writes a list into the bytes that are there
	case reflect.Map:
		return decodeMap(text, v)
	}
	return json.Unmarshal(text, v.Addr().Interface())
}

func decodeStruct(text json.RawMessage, v reflect.Value) error {
	values, err := object(text)
	if err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		f, err := field(v, key)
		if err == nil && !f.IsValid() {
			return &Error{key, "there is no such field"}
		}
		if err == nil {
			err = decode(values[key], f)
		}
		if err != nil {
			return at(key, err)
		}
	}
	return nil
}

// decodeMap sets v to a new map, which also has the entries of v that text doesn't have.
func decodeMap(text json.RawMessage, v reflect.Value) error {
	values, err := object(text)
	if err != nil {
		return err
	}
	read := reflect.MakeMap(v.Type())
	for _, key := range v.MapKeys() {
		read.SetMapIndex(key, v.MapIndex(key))
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key, err := keyOf(name, v.Type().Key())
		if err != nil {
			return at(name, err)
		}
		one := reflect.New(v.Type().Elem()).Elem()
		if before := read.MapIndex(key); before.IsValid() {
			one.Set(before)
		}
		if err := decode(values[name], one); err != nil {
			return at(name, err)
		}
		read.SetMapIndex(key, one)
	}
	v.Set(read)
	return nil
}

// keyOf makes a key of the type t from name, as encoding/json does.
func keyOf(name string, t reflect.Type) (key reflect.Value, err error) {
	text, err := json.Marshal(map[string]struct{}{name: {}})
	if err != nil {
		return key, err
	}
	read := reflect.New(reflect.MapOf(t, reflect.TypeFor[struct{}]()))
	if err := json.Unmarshal(text, read.Interface()); err != nil {
		return key, err
	}
	return read.Elem().MapKeys()[0], nil
}

// decodeList sets the slice v to a new list, or the elements of the array v.
func decodeList(text json.RawMessage, v reflect.Value) error {
	var values []json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return expected("a list", err)
	}
	read := v
	if v.Kind() == reflect.Slice {
		read = reflect.MakeSlice(v.Type(), len(values), len(values))
	}
	for i, value := range values {
		if i == read.Len() {
			return &Error{strconv.Itoa(i), "there is no such element"}
		}
		if err := decode(value, read.Index(i)); err != nil {
			return at(strconv.Itoa(i), err)
		}
	}
	for i := len(values); i < read.Len(); i++ {
		read.Index(i).SetZero()
	}
	v.Set(read)
	return nil
}

func object(text json.RawMessage) (values map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, expected("an object", err)
	}
	return values, nil
}

// expected returns err or, if err is about a JSON value of the wrong kind, an error that names the right kind instead of a Go type.
func expected(what string, err error) error {
	if typed, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &Error{Reason: "a JSON " + typed.Value + " where " + what + " belongs"}
	}
	return err
}
