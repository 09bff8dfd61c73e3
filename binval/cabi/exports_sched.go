//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// A handle of C is the number of a task in data3; 0 is none (B8).

//export ftngoImmediate
func ftngoImmediate(handle, data, callback C.uintptr_t) C.ptrdiff_t {
	t := peerOf(handle).host()
	if callback == 0 {
		return 0
	}
	return number(t)(schedule(t, data, callback, t.Immediate))
}

//export ftngoDeferred
func ftngoDeferred(handle C.uintptr_t, ms C.uint32_t, data, callback C.uintptr_t) C.ptrdiff_t {
	t := peerOf(handle).host()
	if callback == 0 {
		return 0
	}
	d := time.Duration(ms) * time.Millisecond
	return number(t)(schedule(t, data, callback, func(f func()) (tool.Handle, error) { return t.Deferred(d, f) }))
}

// number gives a handle to C. A loop that takes no more work is reported: C has
// no way to hear of it but an invalid handle.
func number(t tool.Tool) func(uintptr, error) C.ptrdiff_t {
	return func(number uintptr, err error) C.ptrdiff_t {
		if err != nil {
			t.Host().Report(err)
		}
		return C.ptrdiff_t(number)
	}
}

//export ftngoSchedCancel
func ftngoSchedCancel(h C.ptrdiff_t) {
	if t, handle := take(uintptr(h)); t != nil {
		t.Cancel(handle)
	}
}

//export ftngoSchedValid
func ftngoSchedValid(h C.ptrdiff_t) C.int { return flag(valid(uintptr(h))) }

//export ftngoSameThread
func ftngoSameThread(handle C.uintptr_t) C.int {
	return flag(peerOf(handle).host().InLoop())
}
