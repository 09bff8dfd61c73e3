package wasm

import (
	"encoding/binary"
	"math/rand/v2"
)

// random gives the guests of all instances the same numbers.
type random struct {
	in     *instance
	source rand.PCG
}

// Read implements io.Reader. A guest may ask for as many numbers as its memory has room for, again and again, so Read looks for orders to
// stop in between.
func (r *random) Read(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		if len(b)%page < 8 {
			r.in.check()
		}
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], r.source.Uint64())
		b = b[copy(b, word[:]):]
	}
	return n, nil
}
