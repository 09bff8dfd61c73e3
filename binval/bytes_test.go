package binval_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/futoin-go/asyncsteps/binval"
)

func TestBytes(t *testing.T) {
	number := binval.FromNumber(int32(-2))
	array, _ := binval.From([]uint16{1, 2, 3})
	text, _ := binval.From("text")
	none, _ := binval.From([]uint64(nil))
	defer array.Reset()
	defer text.Reset()
	for _, c := range []struct {
		v    *binval.Value
		want int
		last []byte
	}{
		{&number, 4, binary.NativeEndian.AppendUint32(nil, 1<<32-2)},
		{&array, 6, binary.NativeEndian.AppendUint16(nil, 3)},
		{&text, 4, []byte("xt")},
		{&none, 0, nil},
	} {
		b, err := c.v.Bytes()
		if err != nil || len(b) != c.want || string(b[len(b)-len(c.last):]) != string(c.last) {
			t.Errorf("%v: %v %v", c.v.Flags(), b, err)
		}
	}
	object := binval.FromCustom(7, nil)
	if _, err := object.Bytes(); !errors.Is(err, binval.ErrKind) {
		t.Error(err)
	}
	if _, err := new(binval.Value).Bytes(); !errors.Is(err, binval.ErrKind) {
		t.Error(err)
	}
	_ = object.Reset()
	gone := text
	_ = text.Reset()
	if _, err := gone.Bytes(); !errors.Is(err, binval.ErrStale) {
		t.Error(err)
	}
}

func ExampleValue_Bytes() {
	v, err := binval.From("text")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer v.Reset()
	b, err := v.Bytes()
	fmt.Println(len(b), b[0] == 't', err)
	// Output: 4 true <nil>
}
