package goid

import (
	"bytes"
	"runtime"
	"sync"
)

// Number returns the number of the calling goroutine, unique in the life of the process. It returns 0 if the runtime has
// changed the form of its traces.
//
// Number reads the first line of a trace, "goroutine 18 [running]:".
func Number() (n uint64) {
	buf := headers.Get().(*[64]byte)
	defer headers.Put(buf)
	header := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	for _, c := range header {
		if c < '0' || c > '9' {
			break
		}
		n = 10*n + uint64(c-'0')
	}
	return n
}

// headers holds buffers for the beginning of a trace.
var headers = sync.Pool{New: func() any { return new([64]byte) }}
