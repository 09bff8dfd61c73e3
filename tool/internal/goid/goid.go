// Package goid tells goroutines apart, for diagnostics.
package goid

import (
	"bytes"
	"runtime"
	"strconv"
)

// Current returns the number of the calling goroutine: unique in the life of the process. Zero
// would mean that the runtime changed the shape of its traces; the tests would say so first.
//
// Go keeps this number out of its API so that programs don't hang state on it; here it only ever answers "is
// this the goroutine I saw before?". The one documented place to see it is the first line of a stack trace,
// "goroutine 18 [running]:", so that is what gets parsed. It costs microseconds, growing with the depth of the stack.
func Current() uint64 {
	var buf [64]byte
	line := bytes.TrimPrefix(buf[:runtime.Stack(buf[:], false)], []byte("goroutine "))
	digits, _, _ := bytes.Cut(line, []byte(" "))
	id, _ := strconv.ParseUint(string(digits), 10, 64)
	return id
}
