package binval_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
)

type lender struct{ released int }

func (l *lender) Release() { l.released++ }

// words returns n words of memory that is aligned for elements of any kind.
func words(n int) []byte {
	w := make([]uint64, n)
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 8*n)
}

func TestOwn(t *testing.T) {
	mem := words(2)
	copy(mem, "text")
	l := new(lender)
	v, err := binval.Own(binval.String, mem, 4, l)
	if err != nil || binval.OwnerOf(&v) != binval.Owner(l) {
		t.Fatal(err, binval.OwnerOf(&v))
	}
	if s, err := binval.To[string](&v); s != "text" || err != nil {
		t.Error(s, err)
	}
	mem[0] = 'n' // it is the memory itself
	if s, err := binval.View[string](&v); s != "next" || err != nil {
		t.Error(s, err)
	}
	mem[4] = 'x'
	if _, err := binval.To[string](&v); !errors.Is(err, binval.ErrLength) {
		t.Error("without a terminator:", err)
	}
	copied := v
	for range 2 {
		if err := v.Reset(); err != nil {
			t.Error(err)
		}
	}
	if err := copied.Reset(); err != nil || l.released != 1 {
		t.Error(err, l.released)
	}
	if _, err := binval.To[string](&copied); err == nil || binval.OwnerOf(&copied) != nil {
		t.Error("a copy of what was reset can be read")
	}
}

func TestOwnKinds(t *testing.T) {
	mem := words(2)
	binary.NativeEndian.PutUint64(mem, 1<<40+7)
	l := new(lender)
	number, err := binval.Own(binval.Int64, mem, 0, l)
	if n, e := binval.To[int64](&number); n != 1<<40+7 || err != nil || e != nil {
		t.Error(n, err, e)
	}
	array, err := binval.Own(binval.Array|binval.Uint64, mem, 2, l)
	if s, e := binval.To[[]uint64](&array); !slices.Equal(s, []uint64{1<<40 + 7, 0}) || err != nil || e != nil {
		t.Error(s, err, e)
	}
	empty, err := binval.Own(binval.Array|binval.Uint16, nil, 0, l)
	if s, e := binval.To[[]uint16](&empty); len(s) != 0 || err != nil || e != nil {
		t.Error(s, err, e)
	}
	object, err := binval.Own(binval.Custom, nil, 0, l)
	if _, e := binval.ToCustom[int](&object); !errors.Is(e, binval.ErrKind) || err != nil {
		t.Error(err, e)
	}
	if _, e := binval.ToCustom[any](&object); !errors.Is(e, binval.ErrKind) {
		t.Error("an object of the owner as one of Go:", e)
	}
	if _, e := binval.TakeCustom[any](&object); !errors.Is(e, binval.ErrKind) {
		t.Error("an object of the owner taken as one of Go:", e)
	}
	for _, v := range []*binval.Value{&number, &array, &empty, &object} {
		if binval.OwnerOf(v) != binval.Owner(l) {
			t.Error("no owner of a", v.Flags())
		}
		if err := v.Reset(); err != nil {
			t.Error(err)
		}
	}
	if l.released != 4 {
		t.Error(l.released)
	}
	plain := binval.FromNumber(1)
	if binval.OwnerOf(&plain) != nil || binval.OwnerOf(&binval.Value{}) != nil {
		t.Error("an owner of what has none")
	}
}

func TestOwnRefuses(t *testing.T) {
	mem := words(2)
	for _, c := range []struct {
		f    binval.Flags
		mem  []byte
		n    uint32
		want error
	}{
		{0, mem, 0, binval.ErrFlags},
		{binval.Array | binval.String, mem, 0, binval.ErrFlags},
		{binval.Int64, mem[:7], 0, binval.ErrLength},
		{binval.String, nil, 0, binval.ErrLength}, // there is no terminator
		{binval.UTF32, mem[:8], 2, binval.ErrLength},
		{binval.Array | binval.Uint64, mem, 3, binval.ErrLength},
		{binval.Array | binval.Uint64, mem, 1<<32 - 1, binval.ErrLength},
		{binval.Array | binval.Int32, mem[1:], 1, binval.ErrPointer},
	} {
		l := new(lender)
		v, err := binval.Own(c.f, c.mem, c.n, l)
		if !errors.Is(err, c.want) || !v.IsZero() || l.released != 0 {
			t.Errorf("%v of %d: %v, released %d", c.f, c.n, err, l.released)
		}
	}
}

// Each read of the value reads the memory. Its owner gets it back when the value is reset.
func ExampleOwn() {
	mem := []byte("elsewhere\x00")
	v, err := binval.Own(binval.String, mem, 9, released{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(binval.To[string](&v))
	fmt.Println(binval.OwnerOf(&v) != nil)
	fmt.Println(v.Reset())
	// Output:
	// elsewhere <nil>
	// true
	// released
	// <nil>
}

type released struct{}

func (released) Release() { fmt.Println("released") }

func ExampleOwnerOf() {
	v := binval.FromNumber(7)
	fmt.Println(binval.OwnerOf(&v))
	// Output: <nil>
}
