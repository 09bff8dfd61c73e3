package wasm

import (
	"bytes"
	"testing"
)

// Each instance gets the same numbers, and a later read gets other ones.
func TestRandom(t *testing.T) {
	var first, second, later [13]byte
	source := &random{in: new(instance)}
	for _, read := range []func() (int, error){
		func() (int, error) { return source.Read(first[:]) },
		func() (int, error) { return (&random{in: new(instance)}).Read(second[:]) },
		func() (int, error) { return source.Read(later[:]) },
	} {
		if n, err := read(); n != 13 || err != nil {
			t.Error(n, err)
		}
	}
	if first != second || first == later || bytes.Equal(first[:8], make([]byte, 8)) {
		t.Errorf("%x, %x, %x", first, second, later)
	}
}
