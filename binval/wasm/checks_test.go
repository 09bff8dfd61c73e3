package wasm

import (
	"bytes"
	"testing"
)

// What isn't a module stays as it is, and each function of one gets its check behind its local variables.
func TestChecked(t *testing.T) {
	for _, b := range [][]byte{nil, []byte("\x00asm"), Echo[:len(Echo)/2], append([]byte("\x00asm\x01\x00\x00\x00"), 10, 0xff)} {
		if !bytes.Equal(checked(b), b) {
			t.Errorf("%x was changed", b)
		}
	}
	if n := bytes.Count(checked(Echo), check) - bytes.Count(Echo, check); n != 2 {
		t.Errorf("%d checks in two functions", n)
	}
	header := []byte("\x00asm\x01\x00\x00\x00")
	code := section(codeSection, vector([]byte{5, 1, 2, 0x7f, 0x00, 0x0b})) // two locals
	want := section(codeSection, vector([]byte{8, 1, 2, 0x7f, 0x03, 0x40, 0x0b, 0x00, 0x0b}))
	if got := checked(cat(header, code)); !bytes.Equal(got, cat(header, want)) {
		t.Errorf("%x", got)
	}
}
