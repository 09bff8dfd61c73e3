package binval_test

import (
	"context"
	"errors"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type cents int64

type sink struct{ closed int }

type order struct {
	name  string
	price cents
	log   *sink
	extra binval.Value
}

func closeSink(s *sink) { s.closed++ }

var orderArgs = binval.Codec[order]{
	binval.At(func(o *order) *string { return &o.name }),
	binval.AtNumber(func(o *order) *cents { return &o.price }),
	binval.AtCustom(func(o *order) **sink { return &o.log }, closeSink),
	binval.AtValue(func(o *order) *binval.Value { return &o.extra }),
}

func TestCodec(t *testing.T) {
	log := new(sink)
	in := order{"tea", 250, log, must(binval.From([]bool{true}))}
	args, err := orderArgs.Encode(&in)
	if err != nil || !in.extra.IsZero() {
		t.Fatalf("%v; the value was copied: %t", err, !in.extra.IsZero())
	}
	var out order
	if err := orderArgs.Decode(&args, &out); err != nil {
		t.Fatal(err)
	}
	extra, err := binval.To[[]bool](&out.extra)
	if out.name != "tea" || out.price != 250 || out.log != log || err != nil || !cmp.Equal(extra, []bool{true}) {
		t.Errorf("%+v, %v, %v", out, extra, err)
	}
	if args != (binval.Args{}) {
		t.Errorf("B1: left behind: %v", args)
	}
	if log.closed != 0 {
		t.Error("the object was released though it was handed on")
	}
	out.extra.Reset()
}

// B1: the arguments have been reset, and the object is released once.
func TestDecodeFails(t *testing.T) {
	for _, tt := range []struct {
		spoil  func(*binval.Args)
		err    error
		closed int
		where  string
	}{
		{func(a *binval.Args) { a[0].Reset() }, binval.ErrKind, 1, "InvalidRequest: argument 0"},
		{func(a *binval.Args) { a[1] = binval.FromNumber(0.5) }, binval.ErrRange, 1, "InvalidRequest: argument 1"},
		{func(a *binval.Args) { a[2].Reset() }, binval.ErrKind, 1, "InvalidRequest: argument 2"},
		{func(a *binval.Args) { a[2].Reset(); a[2] = binval.FromCustom("text", nil) }, binval.ErrKind, 1, "InvalidRequest: argument 2"},
	} {
		log := new(sink)
		args, err := orderArgs.Encode(&order{"tea", 250, log, must(binval.From("extra"))})
		if err != nil {
			t.Fatal(err)
		}
		tt.spoil(&args)
		out := order{name: "before"}
		err = orderArgs.Decode(&args, &out)
		if !errors.Is(err, tt.err) || !errors.Is(err, fault.InvalidRequest) || err.Error()[:len(tt.where)] != tt.where {
			t.Errorf("got %v, want %v in %s", err, tt.err, tt.where)
		}
		if out != (order{}) || args != (binval.Args{}) || log.closed != tt.closed {
			t.Errorf("%s: out %+v, args %v, closed %d times", tt.where, out, args, log.closed)
		}
	}
}

// A value that a field takes over stays valid if a copy of it comes as an argument that is only read, or not used at all.
func TestDecodeOfCopyThatIsNotTaken(t *testing.T) {
	type both struct {
		text  string
		value binval.Value
	}
	text := binval.At(func(b *both) *string { return &b.text })
	value := binval.AtValue(func(b *both) *binval.Value { return &b.value })
	for name, codec := range map[string]binval.Codec[both]{
		"read before": {text, value}, "read after": {value, text}, "not used before": {{}, value}, "not used after": {value},
	} {
		held := binval.Held()
		v := must(binval.From("text"))
		args := binval.Args{v, v}
		var out both
		if err := codec.Decode(&args, &out); err != nil || args != (binval.Args{}) {
			t.Errorf("%s: %v, args %v", name, err, args)
		}
		if got, err := binval.To[string](&out.value); got != "text" || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err := out.value.Reset(); err != nil || binval.Held() != held {
			t.Errorf("%s: %v, %d values are held", name, err, binval.Held()-held)
		}
	}
}

// An object that comes twice is released, once, instead of being lost with the zeroed T.
func TestDecodeOfCopies(t *testing.T) {
	type pair struct {
		a, b *sink
		c, d binval.Value
	}
	a, b := binval.AtCustom(func(p *pair) **sink { return &p.a }, closeSink), binval.AtCustom(func(p *pair) **sink { return &p.b }, closeSink)
	c, d := binval.AtValue(func(p *pair) *binval.Value { return &p.c }), binval.AtValue(func(p *pair) *binval.Value { return &p.d })
	for name, codec := range map[string]binval.Codec[pair]{"objects": {a, b}, "object and value": {a, c}, "values": {c, d}} {
		log := new(sink)
		v := binval.FromCustom(log, closeSink)
		args := binval.Args{v, v}
		var out pair
		if err := codec.Decode(&args, &out); !errors.Is(err, binval.ErrStale) || out != (pair{}) || args != (binval.Args{}) || log.closed != 1 {
			t.Errorf("%s: %v, out %+v, args %v, closed %d times", name, err, out, args, log.closed)
		}
	}
	args := binval.Args{binval.FromNumber(7), binval.FromNumber(7)}
	var out pair
	if err := (binval.Codec[pair]{c, d}).Decode(&args, &out); err != nil || out.c != out.d {
		t.Errorf("equal numbers: %v, %+v", err, out)
	}
	text := binval.NewType(binval.String, 0xC1EA)
	one, other := []byte("one"), []byte("other")
	args = binval.Args{ // of one arena
		binval.WithCustom(binval.Foreign(text, unsafe.Pointer(&one[0]), 3), 7),
		binval.WithCustom(binval.Foreign(text, unsafe.Pointer(&other[0]), 5), 7),
	}
	if err := (binval.Codec[pair]{c, d}).Decode(&args, &out); err != nil || out.c.Len() != 3 || out.d.Len() != 5 {
		t.Errorf("values of others: %v, %+v", err, out)
	}
}

func TestEncodeFails(t *testing.T) {
	log := new(sink)
	codec := binval.Codec[order]{
		binval.AtCustom(func(o *order) **sink { return &o.log }, closeSink),
		binval.At(func(o *order) *string { return &o.name }),
	}
	args, err := codec.Encode(&order{name: "\xff", log: log})
	if !errors.Is(err, binval.ErrEncoding) || args != (binval.Args{}) || log.closed != 1 {
		t.Errorf("%v, args %v, closed %d times", err, args, log.closed)
	}
}

// Arguments that the codec has no field for are reset; missing ones are refused.
func TestDecodeCount(t *testing.T) {
	released := 0
	args := binval.Args{binval.FromNumber(7), 3: binval.FromCustom(0, func(int) { released++ })}
	var n int
	if err := binval.One[int]().Decode(&args, &n); err != nil || n != 7 || released != 1 {
		t.Errorf("%d, %v, released %d times", n, err, released)
	}
	if err := binval.One[int]().Decode(nil, &n); !errors.Is(err, binval.ErrKind) {
		t.Errorf("no arguments: %v", err)
	}
	if err := (binval.Codec[struct{}]{}).Decode(nil, new(struct{})); err != nil {
		t.Errorf("none needed: %v", err)
	}
}

// The value made by C stays in the arguments, and Decode reports it.
func TestDecodeUnlinked(t *testing.T) {
	args := binval.Args{binval.FromNumber(7), binval.Foreign(binval.NewType(binval.Custom, 0xC1EA), nil, 0)}
	var n int
	if err := binval.One[int]().Decode(&args, &n); !errors.Is(err, binval.ErrUnlinked) || n != 7 || args[1].IsZero() {
		t.Errorf("%d, %v", n, err)
	}
}

func TestFieldWithoutAccessor(t *testing.T) {
	null := func(*order) *string { return nil }
	for name, f := range map[string]binval.Field[order]{
		"At(nil)":       binval.At[order, string](nil),
		"At":            binval.At(null),
		"AtNumber(nil)": binval.AtNumber[order, cents](nil),
		"AtCustom(nil)": binval.AtCustom[order, *sink](nil, nil),
		"AtValue(nil)":  binval.AtValue[order](nil),
	} {
		codec := binval.Codec[order]{f}
		if _, err := codec.Encode(new(order)); !errors.Is(err, binval.ErrField) {
			t.Errorf("%s: Encode says %v", name, err)
		}
		args := binval.Args{must(binval.From("a"))}
		if err := codec.Decode(&args, new(order)); !errors.Is(err, binval.ErrField) || !args[0].IsZero() {
			t.Errorf("%s: Decode says %v", name, err)
		}
	}
}

func TestCodecRoundTrip(t *testing.T) {
	type all struct {
		A int8
		B []float32
		C string
		D binval.String16
	}
	codec := binval.Codec[all]{
		binval.At(func(a *all) *int8 { return &a.A }),
		binval.At(func(a *all) *[]float32 { return &a.B }),
		binval.At(func(a *all) *string { return &a.C }),
		binval.At(func(a *all) *binval.String16 { return &a.D }),
	}
	rapid.Check(t, func(t *rapid.T) {
		in := all{rapid.Int8().Draw(t, "A"), append([]float32{}, rapid.SliceOf(rapid.Float32()).Draw(t, "B")...), rapid.String().Draw(t, "C"), binval.String16{1}}
		args, err := codec.Encode(&in)
		if err != nil {
			t.Fatal(err)
		}
		var out all
		err = codec.Decode(&args, &out)
		if diff := cmp.Diff(in, out); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	})
}

// FTN12 §2.7.2.
func TestBridge(t *testing.T) {
	length := step.Func(func(_ step.Scope, o order) (int, error) {
		if o.price < 0 {
			return 0, fault.Code("TooCheap")
		}
		return len(o.name), nil
	})
	plan := flow.Then(orderArgs.Decoder(), flow.Then(length, binval.One[int]().Encoder()))
	args, err := orderArgs.Encode(&order{name: "tea"})
	if err != nil {
		t.Fatal(err)
	}
	result, err := flow.Run(context.Background(), plan, &args)
	if n, e := binval.To[int16](&result[0]); n != 3 || e != nil || err != nil || args != (binval.Args{}) {
		t.Errorf("%d, %v, %v; args left: %v", n, e, err, args)
	}
	args, _ = orderArgs.Encode(&order{price: -1})
	if _, err = flow.Run(context.Background(), plan, &args); !errors.Is(err, fault.Code("TooCheap")) {
		t.Errorf("the stage's error: %v", err)
	}
	if _, err = flow.Run(context.Background(), plan, nil); !errors.Is(err, binval.ErrKind) || !errors.Is(err, fault.InvalidRequest) {
		t.Errorf("no arguments: %v", err)
	}
}

// If a copy of an argument is reset while Decode moves the arguments, those that it has moved are released.
func TestDecodeOfArgumentThatIsReset(t *testing.T) {
	type triple struct {
		a    *sink
		b, c binval.Value
		d    *sink
	}
	log, value, late := new(sink), new(sink), new(sink)
	v := binval.FromCustom(late, closeSink)
	codec := binval.Codec[triple]{
		binval.AtCustom(func(p *triple) **sink { return &p.a }, closeSink),
		binval.AtValue(func(p *triple) *binval.Value { return &p.b }),
		binval.AtCustom(func(p *triple) **sink { return &p.d }, closeSink),
		binval.AtValue(func(p *triple) *binval.Value { // as another goroutine could
			again := v
			_ = again.Reset()
			return &p.c
		}),
	}
	args := binval.Args{binval.FromCustom(log, closeSink), binval.FromCustom(value, closeSink), v}
	var out triple
	err := codec.Decode(&args, &out)
	if !errors.Is(err, binval.ErrStale) || out != (triple{}) || args != (binval.Args{}) {
		t.Errorf("%v: out %+v, args %v", err, out, args)
	}
	if log.closed != 1 || value.closed != 1 || late.closed != 1 {
		t.Errorf("closed %d, %d and %d times", log.closed, value.closed, late.closed)
	}
}
