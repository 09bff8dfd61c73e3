//go:build cgo

package binval_test

import (
	"runtime"
	"testing"
	"unicode/utf16"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/internal/ctest"
)

func link(t *testing.T) {
	ctest.Cleanup = func(v unsafe.Pointer) {
		if err := (*binval.Value)(v).Reset(); err != nil {
			t.Error(err)
		}
	}
	binval.Link(binval.Linkage{
		Cleanup: ctest.CleanupAddress(),
		Call: func(f uintptr, v binval.Value) {
			typ, union, custom, length := v.Raw()
			ctest.Call(f, typ, union, custom, length)
		},
	})
	t.Cleanup(binval.Unlink)
}

// The garbage collector doesn't scan C memory. A Value there keeps what it owns alive until C resets the Value.
func TestCHolds(t *testing.T) {
	link(t)
	base := binval.Held()
	array := func() ctest.Held {
		numbers := make([]int32, 100_000)
		for i := range numbers {
			numbers[i] = int32(i)
		}
		v := must(binval.From(numbers))
		return ctest.Hold(unsafe.Pointer(&v))
	}()
	lent := func() ctest.Held {
		v := must(binval.Lend([]int32{1, 2, 3}))
		return ctest.Hold(unsafe.Pointer(&v))
	}()
	text := func() ctest.Held {
		v := must(binval.From(binval.String16(utf16.Encode([]rune("sixteen units 😀")))))
		return ctest.Hold(unsafe.Pointer(&v))
	}()
	freed := make(chan string, 1)
	object := func() ctest.Held {
		v := binval.FromCustom(&[]string{"object"}, func(s *[]string) { freed <- (*s)[0] })
		return ctest.Hold(unsafe.Pointer(&v))
	}()
	for range 3 {
		runtime.GC()
		_ = make([]int32, 100_000) // could reuse the memory if it were free
	}
	if got := array.Sum32(); got != 100_000*99_999/2 {
		t.Errorf("the array adds up to %d", got)
	}
	if got := lent.Sum32(); got != 6 {
		t.Errorf("the lent array adds up to %d", got)
	}
	if got := text.Strlen16(); got != 16 {
		t.Errorf("the string has %d units", got)
	}
	if got := binval.Held() - base; got != 4 {
		t.Errorf("%d values are held, want 4", got)
	}
	for _, h := range []ctest.Held{array, lent, text, object} {
		h.Reset()
		h.Reset() // B1: idempotent
		h.Free()
	}
	if got := <-freed; got != "object" || len(freed) != 0 {
		t.Errorf("released %q, and %d more", got, len(freed))
	}
	if got := binval.Held() - base; got != 0 {
		t.Errorf("%d values are held after C has reset them", got)
	}
}

func TestGoResetsC(t *testing.T) {
	link(t)
	for _, tt := range []struct {
		flags binval.Flags
		units unsafe.Pointer
		n     int
		size  int
	}{
		{binval.String, unsafe.Pointer(unsafe.StringData("a\x00ö")), 4, 1},
		{binval.UTF16, unsafe.Pointer(&[]uint16{'a', 0, 'ö'}[0]), 3, 2},
		{binval.UTF32, unsafe.Pointer(&[]rune{'a', 0, 'ö'}[0]), 3, 4},
	} {
		before := ctest.Cleanups()
		var v binval.Value
		ctest.MakeString(unsafe.Pointer(&v), uint8(tt.flags), tt.units, tt.n, tt.size)
		if got, err := binval.To[string](&v); got != "a\x00ö" || err != nil {
			t.Errorf("%v: %q, %v", tt.flags, got, err)
		}
		for range 2 {
			if err := v.Reset(); err != nil || !v.IsZero() {
				t.Errorf("%v: reset: %v, leaves %v", tt.flags, err, v.Flags())
			}
		}
		if got := ctest.Cleanups() - before; got != 1 {
			t.Errorf("%v: cleaned up %d times", tt.flags, got)
		}
	}
}
