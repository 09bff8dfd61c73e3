//go:build cgo

package binval

import (
	"testing"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval/internal/ctest"
)

// Rule B6.
func TestLayout(t *testing.T) {
	for _, tt := range []struct {
		what   string
		go_, c uintptr
	}{
		{"size of the type", unsafe.Sizeof(Type{}), ctest.Layout.TypeSize},
		{"flags", unsafe.Offsetof(Type{}.flags), ctest.Layout.TypeFlags},
		{"cleanup", unsafe.Offsetof(Type{}.cleanup), ctest.Layout.TypeCleanup},
		{"size of the value", unsafe.Sizeof(Value{}), ctest.Layout.ValueSize},
		{"type", unsafe.Offsetof(Value{}.typ), ctest.Layout.ValueType},
		{"union", unsafe.Offsetof(Value{}.union), ctest.Layout.ValueUnion},
		{"custom_data", unsafe.Offsetof(Value{}.custom), ctest.Layout.ValueCustomData},
		{"length", unsafe.Offsetof(Value{}.length), ctest.Layout.ValueLength},
		{"size of the arguments", unsafe.Sizeof(Args{}), ctest.Layout.ArgsSize},
		{"second argument", unsafe.Sizeof(Args{}[0]), ctest.Layout.ArgsSecond},
	} {
		if tt.go_ != tt.c {
			t.Errorf("%s: %d in Go, %d in C", tt.what, tt.go_, tt.c)
		}
	}
}
