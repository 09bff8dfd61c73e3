package binval_test

import (
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
)

func TestAllocs(t *testing.T) {
	array, text := must(binval.From(make([]int32, 1000))), must(binval.From("some text"))
	defer array.Reset()
	defer text.Reset()
	number := binval.FromNumber(7)
	codec := binval.One[int]()
	n := 7
	lent := make([]int64, 100)
	for _, tt := range []struct {
		what string
		max  float64
		f    func()
	}{
		{"From a number, Reset", 0, func() { v := must(binval.From(7)); v.Reset() }},
		{"FromNumber", 0, func() { v := binval.FromNumber(7.5); v.Reset() }},
		{"From an empty string", 0, func() { v := must(binval.From("")); v.Reset() }},
		{"To a number", 0, func() { binval.To[int8](&number) }},
		{"ToNumber", 0, func() { binval.ToNumber[cents](&number) }},
		{"View a number", 0, func() { binval.View[int](&number) }},
		{"View an array", 0, func() { binval.View[[]int32](&array) }},
		{"View a string", 0, func() { binval.View[string](&text) }},
		{"Lend, Reset", 0, func() { v := must(binval.Lend(lent)); v.Reset() }},
		{"To an array", 1, func() { binval.To[[]int32](&array) }},
		{"To a wider array", 1, func() { binval.To[[]float64](&array) }},
		{"To a string", 1, func() { binval.To[string](&text) }},
		{"From a string, Reset", 1, func() { v := must(binval.From("some text")); v.Reset() }},
		{"encode and decode a number", 0, func() {
			args, _ := codec.Encode(&n)
			codec.Decode(&args, &n)
		}},
	} {
		if got := testing.AllocsPerRun(100, tt.f); got > tt.max {
			t.Errorf("%s: %v allocations, want %v", tt.what, got, tt.max)
		}
	}
}

func BenchmarkFromNumber(b *testing.B) {
	for b.Loop() {
		v, _ := binval.From(7)
		v.Reset()
	}
}

func BenchmarkToNumber(b *testing.B) {
	v := binval.FromNumber(7)
	for b.Loop() {
		binval.To[int64](&v)
	}
}

func BenchmarkToNumberConverted(b *testing.B) {
	v := binval.FromNumber(7)
	for b.Loop() {
		binval.To[float32](&v)
	}
}

func BenchmarkFromString(b *testing.B) {
	for b.Loop() {
		v, _ := binval.From("some text of a usual length")
		v.Reset()
	}
}

func BenchmarkViewString(b *testing.B) {
	v := must(binval.From("some text of a usual length"))
	defer v.Reset()
	for b.Loop() {
		binval.View[string](&v)
	}
}

func BenchmarkToArray(b *testing.B) {
	v := must(binval.From(make([]int32, 1000)))
	defer v.Reset()
	b.SetBytes(4000)
	for b.Loop() {
		binval.To[[]int32](&v)
	}
}

func BenchmarkToArrayConverted(b *testing.B) {
	v := must(binval.From(make([]int32, 1000)))
	defer v.Reset()
	b.SetBytes(4000)
	for b.Loop() {
		binval.To[[]int64](&v)
	}
}

func BenchmarkViewArray(b *testing.B) {
	v := must(binval.From(make([]int32, 1000)))
	defer v.Reset()
	for b.Loop() {
		binval.View[[]int32](&v)
	}
}

func BenchmarkCustom(b *testing.B) {
	object := new(sink)
	for b.Loop() {
		v := binval.FromCustom(object, nil)
		binval.ToCustom[*sink](&v)
		v.Reset()
	}
}

func BenchmarkCodec(b *testing.B) {
	type point struct{ x, y float64 }
	codec := binval.Codec[point]{
		binval.At(func(p *point) *float64 { return &p.x }),
		binval.At(func(p *point) *float64 { return &p.y }),
	}
	p := point{1, 2}
	for b.Loop() {
		args, _ := codec.Encode(&p)
		codec.Decode(&args, &p)
	}
}
