package binval_test

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
)

func TestCustomTypes(t *testing.T) {
	v := binval.FromCustom(errors.New("an error"), nil)
	if err, e := binval.ToCustom[error](&v); e != nil || err.Error() != "an error" {
		t.Errorf("%v, %v", err, e)
	}
	if _, err := binval.ToCustom[fmt.Stringer](&v); !errors.Is(err, binval.ErrKind) {
		t.Errorf("an interface that it has not: %v", err)
	}
	if _, err := binval.ToCustom[int](&v); !errors.Is(err, binval.ErrKind) {
		t.Errorf("another type: %v", err)
	}
	if _, err := binval.ForeignCustom(&v); !errors.Is(err, binval.ErrKind) {
		t.Errorf("an object of Go as a foreign one: %v", err)
	}
	v.Reset()

	v = binval.FromCustom[error](nil, nil)
	if err, e := binval.ToCustom[error](&v); e != nil || err != nil {
		t.Errorf("a nil error: %v, %v", err, e)
	}
	if _, err := binval.ToCustom[int](&v); !errors.Is(err, binval.ErrKind) {
		t.Errorf("a nil error as int: %v", err)
	}
	v.Reset()

	v = binval.FromNumber(1)
	if _, err := binval.ToCustom[int](&v); !errors.Is(err, binval.ErrKind) {
		t.Errorf("a number: %v", err)
	}
}

func TestTakeCustom(t *testing.T) {
	released := 0
	v := binval.FromCustom(7, func(int) { released++ })
	copied := v
	if _, err := binval.TakeCustom[string](&v); !errors.Is(err, binval.ErrKind) || v.IsZero() {
		t.Errorf("as another type: %v", err)
	}
	if n, err := binval.TakeCustom[int](&v); n != 7 || err != nil || !v.IsZero() {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := binval.TakeCustom[int](&copied); n != 0 || !errors.Is(err, binval.ErrStale) {
		t.Errorf("taken twice: %d, %v", n, err)
	}
	copied.Reset()
	if released != 0 {
		t.Errorf("released %d times after it was taken", released)
	}
}

func TestForeignCustom(t *testing.T) {
	object := new(int)
	v := binval.Foreign(&binval.ForeignTypes[binval.Custom], unsafe.Pointer(object), 0)
	if p, err := binval.ForeignCustom(&v); p != unsafe.Pointer(object) || err != nil {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := binval.ToCustom[*int](&v); !errors.Is(err, binval.ErrKind) {
		t.Errorf("a foreign object as one of Go: %v", err)
	}
}

func TestFlags(t *testing.T) {
	for f, want := range map[binval.Flags]string{
		0:                                 "none",
		binval.Custom:                     "custom",
		binval.UTF16:                      "string16",
		binval.Float64:                    "float64",
		binval.Array | binval.Bool:        "[]bool",
		binval.Array:                      "flags 0x10",
		binval.Array | binval.String:      "flags 0x12",
		0x20 | binval.Int8:                "flags 0x26",
		0x20 | binval.Array | binval.Int8: "flags 0x36",
	} {
		if got := f.String(); got != want {
			t.Errorf("%#x is %q, want %q", uint8(f), got, want)
		}
	}
}

func TestLen(t *testing.T) {
	for _, tt := range []struct {
		v    binval.Value
		want int
	}{
		{binval.Value{}, 0},
		{binval.FromNumber(7), 0},
		{must(binval.From("aö")), 3},
		{must(binval.From(binval.String16{'a', 'ö'})), 2},
		{must(binval.From([]int64{1, 2, 3})), 3},
	} {
		if got := tt.v.Len(); got != tt.want {
			t.Errorf("%v has length %d, want %d", tt.v.Flags(), got, tt.want)
		}
		tt.v.Reset()
	}
}

func TestLendShares(t *testing.T) {
	s := []int32{1, 2, 3}
	lent, copied := must(binval.Lend(s)), must(binval.From(s))
	s[0] = 7
	l, _ := binval.View[[]int32](&lent)
	c, _ := binval.View[[]int32](&copied)
	if l[0] != 7 || c[0] != 1 || cap(l) != 3 || cap(c) != 3 {
		t.Errorf("lent %v cap %d, copied %v cap %d", l, cap(l), c, cap(c))
	}
	lent.Reset()
	copied.Reset()
	empty := must(binval.Lend[bool](nil))
	if e, err := binval.View[[]bool](&empty); len(e) != 0 || err != nil {
		t.Errorf("%v, %v", e, err)
	}
}
