package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// ErrUnstorable means that a value can't be stored, or is too large.
var ErrUnstorable = fault.New(fault.InvalidRequest, "a value can't be stored")

// MostBytes bounds the encoded form of a value. It is a little less than the two MiB that Temporal's servers take.
const MostBytes = 2<<20 - 4<<10

// Unstorable returns an error that wraps ErrUnstorable and why. what names the value in its text.
func Unstorable(what string, why error) error {
	return fmt.Errorf("%w: %s: %w", ErrUnstorable, what, why)
}

// TooLarge returns an error if bytes, the size of a value, is more than MostBytes. what names the value in its text.
func TooLarge(what string, bytes int) error {
	if bytes <= MostBytes {
		return nil
	}
	return fmt.Errorf("%w: %s takes %d bytes, more than %d", ErrUnstorable, what, bytes, MostBytes)
}

// Check returns an error if v can't be stored as JSON: encoding fails, a method of v panics or ends its goroutine, or the JSON is
// larger than MostBytes. It doesn't encode a small message of protobuf, which it accepts.
func Check(what string, v reflect.Value) error {
	if !v.IsValid() || (Plain(v.Type()) || protobuf(v.Type())) && !MayBeLarge(v) {
		return nil
	}
	_, err := Marshal(what, v)
	return err
}

// Marshal returns v as JSON. It fails if v can't be encoded or is too large, as Check describes.
func Marshal(what string, v reflect.Value) (data []byte, err error) {
	call := func() error {
		data, err = json.Marshal(v.Interface())
		return err
	}
	if inert(v.Type()) {
		err = call()
	} else {
		err = told(call)
	}
	if err != nil {
		return nil, Unstorable(what, err)
	}
	return data, TooLarge(what, len(data))
}

// Unmarshal decodes data, which is JSON, into the variable that to points to. It returns a panic of a method as an error.
func Unmarshal(data []byte, to reflect.Value) error {
	call := func() error { return json.Unmarshal(data, to.Interface()) }
	if inert(to.Type()) {
		return call()
	}
	return told(call)
}

// told does what Shielded does, and returns an error whose method Error can be called without harm. An error that a marshaler
// returns, or panics with, may have a method Error of the user's, so told replaces it by its text.
func told(fn func() error) error {
	err := Shielded(fn)
	if err == nil {
		return nil
	}
	if text, own := said(err); !own {
		return errors.New(text)
	}
	return err
}

// inert reports whether package json certainly calls no code of the user's for values of type t.
func inert(t reflect.Type) bool {
	if known, ok := inertTypes.Load(t); ok {
		return known.(bool)
	}
	is := !holds(t, func(t reflect.Type) (calls, opaque bool) {
		if t == reflect.TypeFor[time.Time]() {
			return false, true
		}
		return t.Kind() == reflect.Interface || marshals(t) || implements(t, jsonDecoders), false
	})
	inertTypes.Store(t, is)
	return is
}

var inertTypes sync.Map

// Plain reports whether package json certainly encodes all values of type t. It returns false if package json refuses t, or if t
// has cycles, interfaces, types that encode themselves, or floats, which may be NaN or infinite.
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

// large is the size, as MayBeLarge estimates it, beyond which the encoded form of a value may exceed MostBytes: JSON makes up to
// six bytes of one.
const large = 256 << 10

// MayBeLarge reports whether the encoded form of v may have more than MostBytes. It estimates the size, and stops when that exceeds
// large.
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
			for i, n := range names(v.Type()) {
				left -= n
				look(v.Field(i))
			}
		}
	}
	look(v)
	return left < 0
}

// names returns, for each field of struct t, the length of its name in Go or in JSON, whichever is longer.
func names(t reflect.Type) []int {
	if known, ok := namesOfTypes.Load(t); ok {
		return known.([]int)
	}
	all := make([]int, 0, t.NumField())
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		all = append(all, max(len(name), len(f.Name)))
	}
	namesOfTypes.Store(t, all)
	return all
}

var namesOfTypes sync.Map
