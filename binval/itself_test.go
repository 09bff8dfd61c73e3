package binval_test

import "github.com/futoin-go/asyncsteps/binval"

func toItselfAs[T binval.Data](v *binval.Value) error {
	_, err := binval.To[T](v)
	return err
}

func viewItselfAs[T binval.Data](v *binval.Value) error {
	_, err := binval.View[T](v)
	return err
}

func by[T binval.Data]() [2]func(*binval.Value) error {
	return [2]func(*binval.Value) error{toItselfAs[T], viewItselfAs[T]}
}

var readers = map[binval.Flags][2]func(*binval.Value) error{
	binval.String:                 by[string](),
	binval.UTF16:                  by[binval.String16](),
	binval.UTF32:                  by[binval.String32](),
	binval.Bool:                   by[bool](),
	binval.Int8:                   by[int8](),
	binval.Int16:                  by[int16](),
	binval.Int32:                  by[int32](),
	binval.Int64:                  by[int64](),
	binval.Uint8:                  by[uint8](),
	binval.Uint16:                 by[uint16](),
	binval.Uint32:                 by[uint32](),
	binval.Uint64:                 by[uint64](),
	binval.Float32:                by[float32](),
	binval.Float64:                by[float64](),
	binval.Array | binval.Bool:    by[[]bool](),
	binval.Array | binval.Int8:    by[[]int8](),
	binval.Array | binval.Int16:   by[[]int16](),
	binval.Array | binval.Int32:   by[[]int32](),
	binval.Array | binval.Int64:   by[[]int64](),
	binval.Array | binval.Uint8:   by[[]uint8](),
	binval.Array | binval.Uint16:  by[[]uint16](),
	binval.Array | binval.Uint32:  by[[]uint32](),
	binval.Array | binval.Uint64:  by[[]uint64](),
	binval.Array | binval.Float32: by[[]float32](),
	binval.Array | binval.Float64: by[[]float64](),
}

func toItself(v *binval.Value) error   { return itself(v, 0) }
func viewItself(v *binval.Value) error { return itself(v, 1) }

// itself reads v as the type that readers has for its flags, otherwise as int8. how is 0 for To and 1 for View.
func itself(v *binval.Value, how int) error {
	if by, ok := readers[v.Flags()]; ok {
		return by[how](v)
	}
	return readers[binval.Int8][how](v)
}
