package wasm

import (
	"encoding/json"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
)

// port turns a T into a value and back.
type port[T any] struct {
	encode func(T) (binval.Value, error)
	decode func(*binval.Value) (T, error)
}

// portOf returns the port of a type: that of ports if there is one, otherwise JSON.
func portOf[T any]() port[T] {
	for _, p := range ports {
		if p, ok := p.(port[T]); ok {
			return p
		}
	}
	return port[T]{
		encode: func(in T) (binval.Value, error) {
			text, err := json.Marshal(in)
			if err != nil {
				return binval.Value{}, fault.Wrap(fault.InvalidRequest, "the input of the guest as JSON", err)
			}
			return binval.From(string(text))
		},
		decode: func(v *binval.Value) (out T, err error) {
			text, err := binval.View[string](v)
			if err != nil {
				return out, err
			}
			if err := json.Unmarshal([]byte(text), &out); err != nil {
				return out, fault.Wrap(fault.InvalidRequest, "the result of the guest as JSON", err)
			}
			return out, nil
		},
	}
}

// ports holds a port for each type of binval.Data, and for struct{}, which stands for no value.
var ports = []any{
	data[bool](), data[int8](), data[int16](), data[int32](), data[int64](), data[int](),
	data[uint8](), data[uint16](), data[uint32](), data[uint64](), data[uint](), data[float32](), data[float64](),
	data[string](), data[binval.String16](), data[binval.String32](),
	data[[]bool](), data[[]int8](), data[[]int16](), data[[]int32](), data[[]int64](), data[[]int](),
	data[[]uint8](), data[[]uint16](), data[[]uint32](), data[[]uint64](), data[[]uint](), data[[]float32](), data[[]float64](),
	port[struct{}]{
		encode: func(struct{}) (binval.Value, error) { return binval.Value{}, nil },
		decode: func(*binval.Value) (struct{}, error) { return struct{}{}, nil },
	},
}

func data[T binval.Data]() port[T] {
	return port[T]{binval.From[T], binval.To[T]}
}

func (p port[T]) take(v binval.Value) (out T, err error) {
	l, ok := binval.OwnerOf(&v).(*lent)
	if ok && l.bad != nil {
		err = l.bad
	} else {
		out, err = p.decode(&v)
	}
	var e error
	if ok {
		e = l.in.callback(nil, func() { _ = v.Reset() }) // the guest's cleanup may trap
	} else {
		e = v.Reset()
	}
	if err == nil {
		err = e
	}
	return out, err
}
