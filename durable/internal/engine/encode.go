package engine

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/futoin-go/asyncsteps/fault"
)

// ErrUnstorable means that a value can't be stored, or is too large.
var ErrUnstorable = fault.New(fault.InvalidRequest, "a value can't be stored")

// MostBytes bounds the encoded form of a value: Temporal's servers take two MiB, with what they add.
const MostBytes = 2<<20 - 4<<10

// Unstorable returns the error that what, such as "the input", can't be stored because of why.
func Unstorable(what string, why error) error {
	return fmt.Errorf("%w: %s: %w", ErrUnstorable, what, why)
}

// TooLarge returns the error that what takes that many bytes; nil if these aren't too many.
func TooLarge(what string, bytes int) error {
	if bytes <= MostBytes {
		return nil
	}
	return fmt.Errorf("%w: %s takes %d bytes, more than %d", ErrUnstorable, what, bytes, MostBytes)
}

// Check returns the error that v can't be stored as JSON, or takes too many bytes as such; nil if it can. A panic in a method of v is such an
// error. It is for engines that store JSON, or nothing.
func Check(what string, v reflect.Value) error {
	if !v.IsValid() || (Plain(v.Type()) || protobuf(v.Type())) && !MayBeLarge(v) {
		return nil
	}
	var text []byte
	err := Shielded(func() (err error) {
		text, err = json.Marshal(v.Interface())
		return err
	})
	if err != nil {
		return Unstorable(what, err)
	}
	return TooLarge(what, len(text))
}

// Plain reports whether all values of type t can be encoded: it has no floats, which may be NaN or infinite, no interfaces, no methods
// that encode it, and no cycles.
func Plain(t reflect.Type) bool {
	open := make(map[reflect.Type]bool)
	var plain func(t reflect.Type) bool
	plain = func(t reflect.Type) bool {
		if open[t] || marshals(t) {
			return false
		}
		open[t] = true
		defer delete(open, t)
		switch t.Kind() {
		case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
			reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			return true
		case reflect.Pointer, reflect.Slice, reflect.Array:
			return plain(t.Elem())
		case reflect.Map:
			k := t.Key().Kind()
			return (k == reflect.String || k >= reflect.Int && k <= reflect.Uint64) && plain(t.Key()) && plain(t.Elem())
		case reflect.Struct:
			for field := range t.Fields() {
				if !plain(field.Type) {
					return false
				}
			}
			return true
		default:
			return false
		}
	}
	return plain(t)
}

// large is the size in memory beyond which the encoded form of a value may exceed MostBytes: JSON makes up to six bytes of one.
const large = 256 << 10

// MayBeLarge reports whether the encoded form of v may have more than MostBytes. It looks at no more of v than it takes to tell.
func MayBeLarge(v reflect.Value) bool {
	left := large
	var look func(v reflect.Value)
	look = func(v reflect.Value) {
		left -= 4
		if left < 0 {
			return
		}
		switch v.Kind() { //nolint:exhaustive // the others hold nothing
		case reflect.String:
			left -= v.Len()
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				look(v.Elem())
			}
		case reflect.Slice, reflect.Array:
			if v.Type().Elem().Kind() == reflect.Uint8 {
				left -= v.Len()
				return
			}
			for i := 0; i < v.Len() && left >= 0; i++ {
				look(v.Index(i))
			}
		case reflect.Map:
			for i := v.MapRange(); left >= 0 && i.Next(); {
				look(i.Key())
				look(i.Value())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				f := v.Type().Field(i)
				left -= len(f.Name) + len(f.Tag) // which may have a longer name
				look(v.Field(i))
			}
		}
	}
	look(v)
	return left < 0
}
