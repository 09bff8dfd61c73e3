package binval_test

import (
	"errors"
	"math"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func must(v binval.Value, err error) binval.Value {
	if err != nil {
		panic(err)
	}
	return v
}

type reader struct {
	name string
	read func(*binval.Value) (same bool, err error)
}

func as[T binval.Data](name string, want T) reader {
	return reader{name, func(v *binval.Value) (bool, error) {
		got, err := binval.To[T](v)
		return cmp.Equal(got, want, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()), err
	}}
}

func of[T binval.Data](v T) func() binval.Value {
	return func() binval.Value { return must(binval.From(v)) }
}

// A conversion that would lose something fails.
func TestTo(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		value  func() binval.Value
		as     reader
		err    error
		reason string
	}{
		{of(int64(300)), as("int16", int16(300)), nil, "it fits"},
		{of(int64(300)), as("int8", int8(0)), binval.ErrRange, "it doesn't fit"},
		{of(int64(-128)), as("int8", int8(-128)), nil, "the lowest"},
		{of(int64(-129)), as("int8", int8(0)), binval.ErrRange, "one below"},
		{of(int8(-1)), as("uint64", uint64(0)), binval.ErrRange, "no sign"},
		{of(uint64(math.MaxUint64)), as("int64", int64(0)), binval.ErrRange, "above"},
		{of(uint64(math.MaxInt)), as("int", math.MaxInt), nil, "the highest"},
		{of(uint8(255)), as("int8", int8(0)), binval.ErrRange, "same width, other sign"},
		{of(uint32(7)), as("uint", uint(7)), nil, "uint is uint64"},
		{of(-7), as("int32", int32(-7)), nil, "int is int64"},

		{of(1.0), as("int8", int8(1)), nil, "a float that is an integer"},
		{of(1.5), as("int8", int8(0)), binval.ErrRange, "a fraction"},
		{of(nan), as("int64", int64(0)), binval.ErrRange, "NaN is no integer"},
		{of(math.Inf(1)), as("uint64", uint64(0)), binval.ErrRange, "infinity is no integer"},
		{of(float64(1 << 63)), as("int64", int64(0)), binval.ErrRange, "2^63 is one too many"},
		{of(float64(1 << 63)), as("uint64", uint64(1<<63)), nil, "but not without sign"},
		{of(float64(1 << 64)), as("uint64", uint64(0)), binval.ErrRange, "2^64 is one too many"},
		{of(float64(-1 << 63)), as("int64", int64(math.MinInt64)), nil, "-2^63 is the lowest"},
		{of(-1.0), as("uint8", uint8(0)), binval.ErrRange, "negative"},
		{of(int64(1 << 53)), as("float64", float64(1<<53)), nil, "53 bits"},
		{of(int64(1<<53 + 1)), as("float64", 0.0), binval.ErrRange, "54 bits"},
		{of(int64(math.MaxInt64)), as("float64", 0.0), binval.ErrRange, "rounds up to 2^63"},
		{of(uint64(math.MaxUint64)), as("float64", 0.0), binval.ErrRange, "rounds up to 2^64"},
		{of(int32(1<<24 + 1)), as("float32", float32(0)), binval.ErrRange, "25 bits"},
		{of(int32(1 << 24)), as("float32", float32(1<<24)), nil, "24 bits"},
		{of(0.1), as("float32", float32(0)), binval.ErrRange, "no float32 is 0.1"},
		{of(0.5), as("float32", float32(0.5)), nil, "0.5 is"},
		{of(1e300), as("float32", float32(0)), binval.ErrRange, "overflow"},
		{of(nan), as("float32", float32(nan)), nil, "NaN stays NaN"},
		{of(math.Inf(-1)), as("float32", float32(math.Inf(-1))), nil, "infinity stays"},
		{of(float32(0.1)), as("float64", float64(float32(0.1))), nil, "widening is exact"},

		{of(true), as("bool", true), nil, ""},
		{of(true), as("int8", int8(0)), binval.ErrKind, "bool is no number"},
		{of(int8(1)), as("bool", false), binval.ErrKind, "a number is no bool"},
		{of(int8(1)), as("string", ""), binval.ErrKind, "a number is no text"},
		{of("1"), as("int8", int8(0)), binval.ErrKind, "text is no number"},
		{of(int8(1)), as("[]int8", []int8(nil)), binval.ErrKind, "a scalar is no array"},
		{of([]int8{1}), as("int8", int8(0)), binval.ErrKind, "an array is no scalar"},
		{of([]byte("text")), as("string", ""), binval.ErrKind, "bytes are no text"},
		{of("text"), as("[]byte", []byte(nil)), binval.ErrKind, "text is no bytes"},

		{of("a\x00ö€😀"), as("string", "a\x00ö€😀"), nil, "NUL is kept"},
		{of("a\x00ö€😀"), as("String16", binval.String16{'a', 0, 'ö', '€', 0xD83D, 0xDE00}), nil, "a surrogate pair"},
		{of("a\x00ö€😀"), as("String32", binval.String32("a\x00ö€😀")), nil, ""},
		{of(binval.String16{'a', 0, 'ö', 0xD83D, 0xDE00}), as("string", "a\x00ö😀"), nil, ""},
		{of(binval.String16{'a', 0xD83D, 0xDE00}), as("String16", binval.String16{'a', 0xD83D, 0xDE00}), nil, ""},
		{of(binval.String16{'a', 0xD83D, 0xDE00}), as("String32", binval.String32("a😀")), nil, ""},
		{of(binval.String32("a\x00😀")), as("string", "a\x00😀"), nil, ""},
		{of(binval.String32("a😀")), as("String16", binval.String16{'a', 0xD83D, 0xDE00}), nil, ""},
		{of(binval.String32("a😀")), as("String32", binval.String32("a😀")), nil, ""},
		{of(""), as("string", ""), nil, "empty"},
		{of(""), as("String16", binval.String16{}), nil, "empty"},
		{of(binval.String32(nil)), as("string", ""), nil, "empty"},
		{of(binval.String16{'a'}), as("[]uint16", []uint16(nil)), binval.ErrKind, "text is no array"},

		{of([]int64{1, -2, 127}), as("[]int8", []int8{1, -2, 127}), nil, "all fit"},
		{of([]int64{1, 300}), as("[]int8", []int8(nil)), binval.ErrRange, "one doesn't"},
		{of([]int64{1, 300}), as("[]int", []int{1, 300}), nil, "int is int64"},
		{of([]uint8{1, 2}), as("[]float64", []float64{1, 2}), nil, "all are exact"},
		{of([]float32{1, 2.5}), as("[]float32", []float32{1, 2.5}), nil, ""},
		{of([]float32{1, 2.5}), as("[]int32", []int32(nil)), binval.ErrRange, "a fraction"},
		{of([]bool{true, false}), as("[]bool", []bool{true, false}), nil, ""},
		{of([]bool{true}), as("[]uint8", []uint8(nil)), binval.ErrKind, "bools are no numbers"},
		{of([]uint8{1}), as("[]bool", []bool(nil)), binval.ErrKind, "numbers are no bools"},
		{of([]uint(nil)), as("[]uint32", []uint32{}), nil, "empty"},

		{func() binval.Value { return binval.Value{} }, as("int8", int8(0)), binval.ErrKind, "no value"},
		{func() binval.Value { return binval.FromCustom(1, nil) }, as("int", 0), binval.ErrKind, "an object"},
	} {
		v := tt.value()
		same, err := tt.as.read(&v)
		if !same || !errors.Is(err, tt.err) || (tt.err == nil) != (err == nil) {
			t.Errorf("%v as %s: wanted result: %t, error %v, want %v; reason: %s", v.Flags(), tt.as.name, same, err, tt.err, tt.reason)
		}
		if err != nil && !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("%v as %s: %v is no InvalidRequest", v.Flags(), tt.as.name, err)
		}
		v.Reset()
	}
}

func TestFromRefuses(t *testing.T) {
	for _, tt := range []struct {
		from   func() (binval.Value, error)
		reason string
	}{
		{func() (binval.Value, error) { return binval.From("a\xff") }, "not UTF-8"},
		{func() (binval.Value, error) { return binval.From("\xed\xa0\x80") }, "a surrogate in UTF-8"},
		{func() (binval.Value, error) { return binval.From(binval.String16{0xD83D}) }, "half a pair at the end"},
		{func() (binval.Value, error) { return binval.From(binval.String16{0xD83D, 'a'}) }, "half a pair"},
		{func() (binval.Value, error) { return binval.From(binval.String16{0xDE00, 0xD83D}) }, "a pair turned round"},
		{func() (binval.Value, error) { return binval.From(binval.String32{0xD800}) }, "a surrogate in UTF-32"},
		{func() (binval.Value, error) { return binval.From(binval.String32{-1}) }, "below Unicode"},
		{func() (binval.Value, error) { return binval.From(binval.String32{0x110000}) }, "beyond Unicode"},
	} {
		v, err := tt.from()
		if !errors.Is(err, binval.ErrEncoding) || !errors.Is(err, fault.InvalidRequest) || !v.IsZero() {
			t.Errorf("%v, %v; reason: %s", v.Flags(), err, tt.reason)
		}
	}
}

func TestToNumberOutOfRange(t *testing.T) {
	v := binval.FromNumber(300)
	if n, err := binval.ToNumber[int8](&v); n != 0 || !errors.Is(err, binval.ErrRange) {
		t.Error(n, err)
	}
}
