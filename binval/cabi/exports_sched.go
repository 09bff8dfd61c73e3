//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import "time"

// A handle of C is the number of a task in data3; 0 is none (B8).

//export ftngoImmediate
func ftngoImmediate(handle, data, callback C.uintptr_t) C.ptrdiff_t {
	return C.ptrdiff_t(schedule(peerOf(handle).host(), -1, data, callback))
}

//export ftngoDeferred
func ftngoDeferred(handle C.uintptr_t, ms C.uint32_t, data, callback C.uintptr_t) C.ptrdiff_t {
	d := time.Duration(ms) * time.Millisecond
	return C.ptrdiff_t(schedule(peerOf(handle).host(), d, data, callback))
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
