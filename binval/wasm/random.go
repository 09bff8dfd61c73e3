package wasm

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
)

// random gives a guest numbers that are always the same. The runtime's own source is as large as all else of an instance.
type random struct{ source rand.PCG }

func newRandom() io.Reader { return new(random) }

// Read implements io.Reader.
func (r *random) Read(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], r.source.Uint64())
		b = b[copy(b, word[:]):]
	}
	return n, nil
}
