package script

import (
	"bytes"
	"encoding/json"
	"math"
)

// Value is a value of a program: nil, bool, int, string, or a list of these.
type Value struct{ X any }

// Args are the values that a step gives to the next one. A missing argument at the end is the same as one that is nil.
type Args []Value

// MarshalJSON encodes missing arguments as an empty list.
func (a Args) MarshalJSON() ([]byte, error) {
	if len(a) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal([]Value(a))
}

func (a Args) at(i int) Value {
	if i < 0 || i >= len(a) {
		return Value{}
	}
	return a[i]
}

// MarshalJSON encodes the value.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.X) }

// UnmarshalJSON reads a value; other JSON is a [*FormatError].
func (v *Value) UnmarshalJSON(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var x any
	if err := dec.Decode(&x); err != nil {
		return malformed("%v", err)
	}
	list, ok := x.([]any)
	if !ok {
		return plain(&v.X, x)
	}
	for i := range list {
		if err := plain(&list[i], list[i]); err != nil {
			return err
		}
	}
	v.X = list
	return nil
}

// plain stores x in to, and stores a number as an int. It refuses a list.
func plain(to *any, x any) error {
	switch x := x.(type) {
	case nil, bool, string:
		*to = x
		return nil
	case json.Number:
		n, err := x.Int64()
		if err != nil || n < math.MinInt32 || n > math.MaxInt32 {
			return malformed("%s is no 32-bit integer", x)
		}
		*to = int(n)
		return nil
	default:
		return malformed("a value is an integer, string, boolean, null or a list of these")
	}
}

func same(a, b Value) bool {
	x, listed := a.X.([]any)
	y, too := b.X.([]any)
	if !listed || !too {
		return listed == too && a.X == b.X
	}
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return true
}
