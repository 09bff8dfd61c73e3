package binval_test

import (
	"errors"
	"math/big"
	"slices"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func roundTrip[T binval.Data](name string, gen *rapid.Generator[T]) (string, func(*rapid.T)) {
	same := func(t *rapid.T, how string, got, want T, err error) {
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Fatalf("%s: %v (-want +got)\n%s", how, err, diff)
		}
	}
	return name, func(t *rapid.T) {
		want := gen.Draw(t, "value")
		v, err := binval.From(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := binval.To[T](&v)
		same(t, "To", got, want, err)
		got, err = binval.View[T](&v)
		same(t, "View", got, want, err)
		if err := v.Reset(); err != nil || !v.IsZero() {
			t.Fatalf("reset: %v", err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	check := func(name string, prop func(*rapid.T)) {
		t.Run(name, func(t *testing.T) { rapid.Check(t, prop) })
	}
	check(roundTrip("bool", rapid.Bool()))
	check(roundTrip("int8", rapid.Int8()))
	check(roundTrip("int16", rapid.Int16()))
	check(roundTrip("int32", rapid.Int32()))
	check(roundTrip("int64", rapid.Int64()))
	check(roundTrip("int", rapid.Int()))
	check(roundTrip("uint8", rapid.Uint8()))
	check(roundTrip("uint16", rapid.Uint16()))
	check(roundTrip("uint32", rapid.Uint32()))
	check(roundTrip("uint64", rapid.Uint64()))
	check(roundTrip("uint", rapid.Uint()))
	check(roundTrip("float32", rapid.Float32()))
	check(roundTrip("float64", rapid.Float64()))
	check(roundTrip("string", rapid.String()))
	check(roundTrip("string16", rapid.Map(rapid.String(), func(s string) binval.String16 { return utf16.Encode([]rune(s)) })))
	check(roundTrip("string32", rapid.Map(rapid.String(), func(s string) binval.String32 { return binval.String32(s) })))
	check(roundTrip("[]bool", rapid.SliceOf(rapid.Bool())))
	check(roundTrip("[]int8", rapid.SliceOf(rapid.Int8())))
	check(roundTrip("[]int16", rapid.SliceOf(rapid.Int16())))
	check(roundTrip("[]int32", rapid.SliceOf(rapid.Int32())))
	check(roundTrip("[]int64", rapid.SliceOf(rapid.Int64())))
	check(roundTrip("[]int", rapid.SliceOf(rapid.Int())))
	check(roundTrip("[]uint8", rapid.SliceOf(rapid.Uint8())))
	check(roundTrip("[]uint16", rapid.SliceOf(rapid.Uint16())))
	check(roundTrip("[]uint32", rapid.SliceOf(rapid.Uint32())))
	check(roundTrip("[]uint64", rapid.SliceOf(rapid.Uint64())))
	check(roundTrip("[]uint", rapid.SliceOf(rapid.Uint())))
	check(roundTrip("[]float32", rapid.SliceOf(rapid.Float32())))
	check(roundTrip("[]float64", rapid.SliceOf(rapid.Float64())))
}

// A number can be read as any numeric type exactly, or not at all. The expected result is computed with big.Float, which holds the
// numbers of all these types exactly.
func TestNumbersExact(t *testing.T) {
	into := map[string]func(*binval.Value) (*big.Float, error){
		"int8": exact[int8], "int16": exact[int16], "int32": exact[int32], "int64": exact[int64],
		"uint8": exact[uint8], "uint16": exact[uint16], "uint32": exact[uint32], "uint64": exact[uint64],
		"float32": exact[float32], "float64": exact[float64],
	}
	fits := map[string]func(*big.Float) bool{
		"int8": within[int8](-1<<7, 1<<7-1), "int16": within[int16](-1<<15, 1<<15-1),
		"int32": within[int32](-1<<31, 1<<31-1), "int64": within[int64](-1<<63, 1<<63-1),
		"uint8": within[uint8](0, 1<<8-1), "uint16": within[uint16](0, 1<<16-1),
		"uint32": within[uint32](0, 1<<32-1), "uint64": within[uint64](0, 1<<64-1),
		"float32": func(x *big.Float) bool { _, acc := x.Float32(); return acc == big.Exact },
		"float64": func(x *big.Float) bool { _, acc := x.Float64(); return acc == big.Exact },
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(
			rapid.Map(rapid.Int64(), binval.FromNumber[int64]),
			rapid.Map(rapid.Uint64(), binval.FromNumber[uint64]),
			rapid.Map(rapid.Float32(), binval.FromNumber[float32]),
			rapid.Map(rapid.Float64(), binval.FromNumber[float64]),
			rapid.Map(rapid.Int32(), func(i int32) binval.Value { return binval.FromNumber(float64(i)) }),
		).Draw(t, "value")
		want, err := exact[float64](&v)
		if err != nil {
			want, err = exact[int64](&v)
		}
		if err != nil {
			want, err = exact[uint64](&v)
		}
		if err != nil {
			t.Fatal("read by nothing:", err)
		}
		for name, read := range into {
			got, err := read(&v)
			switch {
			case fits[name](want) && (err != nil || got.Cmp(want) != 0):
				t.Errorf("%v as %s is %v, %v", want, name, got, err)
			case !fits[name](want) && !errors.Is(err, binval.ErrRange):
				t.Errorf("%v as %s is %v, %v; it doesn't fit", want, name, got, err)
			}
		}
	})
}

func exact[T binval.Number](v *binval.Value) (*big.Float, error) {
	n, err := binval.ToNumber[T](v)
	switch x := any(n).(type) {
	case float32:
		return big.NewFloat(float64(x)), err
	case float64:
		return big.NewFloat(x), err
	case uint64:
		return new(big.Float).SetUint64(x), err
	default:
		return new(big.Float).SetInt64(int64(n)), err
	}
}

func within[T binval.Number](low, high T) func(*big.Float) bool {
	l, _ := exact[T](new(binval.FromNumber(low)))
	h, _ := exact[T](new(binval.FromNumber(high)))
	return func(x *big.Float) bool { return x.IsInt() && x.Cmp(l) >= 0 && x.Cmp(h) <= 0 }
}

// A Unicode string survives all three encodings. From and the standard library agree about which strings are valid UTF-8.
func TestStringsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "unicode") {
			s = rapid.String().Draw(t, "string")
		}
		v, err := binval.From(s)
		if (err == nil) != utf8.ValidString(s) {
			t.Fatalf("%q: %v", s, err)
		}
		if err != nil {
			return
		}
		wide, err := binval.To[binval.String16](&v)
		if diff := cmp.Diff(utf16.Encode([]rune(s)), []uint16(wide), cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Fatalf("%v %s", err, diff)
		}
		runes, err := binval.To[binval.String32](&v)
		if string(runes) != s || err != nil {
			t.Fatalf("%q as UTF-32 is %q, %v", s, string(runes), err)
		}
		v.Reset()
		for _, v := range []binval.Value{must(binval.From(wide)), must(binval.From(runes))} {
			if got, err := binval.To[string](&v); got != s || err != nil {
				t.Fatalf("%q came back as %q, %v", s, got, err)
			}
			v.Reset()
		}
	})
}

// From accepts the String16s that don't change when they are decoded and encoded.
func TestUTF16Agrees(t *testing.T) {
	unit := rapid.OneOf(rapid.Uint16(), rapid.Uint16Range(0xD700, 0xE0FF))
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOfN(unit, 0, 6).Draw(t, "units")
		v, err := binval.From(binval.String16(units))
		valid := !slices.Contains(utf16.Decode(units), utf8.RuneError) || cmp.Equal(utf16.Encode(utf16.Decode(units)), units)
		if (err == nil) != valid {
			t.Fatalf("%x: %v, want valid: %t", units, err, valid)
		}
		v.Reset()
	})
}
