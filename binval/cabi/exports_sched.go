//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import "time"

// In a FutoInHandle of this engine data3 is the number of a task; 0 stands for no task.

// ftngoImmediate schedules a callback. own is true if code of the step that the pointer names makes the call, on its loop.
//
//export ftngoImmediate
func ftngoImmediate(handle, data, callback C.uintptr_t, own C.bool) C.ptrdiff_t {
	p := calls(handle)
	number := schedule(p.host(), -1, data, callback)
	if own {
		p.reserve()
	}
	return C.ptrdiff_t(number)
}

//export ftngoDeferred
func ftngoDeferred(handle C.uintptr_t, ms C.uint32_t, data, callback C.uintptr_t) C.ptrdiff_t {
	d := time.Duration(ms) * time.Millisecond
	return C.ptrdiff_t(schedule(calls(handle).host(), d, data, callback))
}

//export ftngoSchedCancel
func ftngoSchedCancel(h C.ptrdiff_t) {
	if t, handle := take(settled(uintptr(h))); t != nil {
		t.Cancel(handle)
	}
}

//export ftngoSchedValid
func ftngoSchedValid(h C.ptrdiff_t) C.int { return flag(valid(settled(uintptr(h)))) }

//export ftngoSameThread
func ftngoSameThread(handle C.uintptr_t) C.int {
	return flag(peerOf(handle).host().InLoop())
}
