//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"time"
	"unsafe"

	"github.com/futoin-go/asyncsteps/tool"
)

// A handle of C is the loop's own number in data3; 0 is none (B8).

//export ftngoImmediate
func ftngoImmediate(handle, data, callback C.uintptr_t) C.ptrdiff_t {
	t := peerOf(handle).host()
	if callback == 0 {
		return 0
	}
	h, err := t.Immediate(scheduled(t, data, callback))
	return number(t, h, err)
}

//export ftngoDeferred
func ftngoDeferred(handle C.uintptr_t, ms C.uint32_t, data, callback C.uintptr_t) C.ptrdiff_t {
	t := peerOf(handle).host()
	if callback == 0 {
		return 0
	}
	h, err := t.Deferred(time.Duration(ms)*time.Millisecond, scheduled(t, data, callback))
	return number(t, h, err)
}

func scheduled(t tool.Tool, data, callback C.uintptr_t) func() {
	loop := C.uintptr_t(uintptr(unsafe.Pointer(t.Host())))
	return func() { C.ftn_scheduled(loop, callback, data) }
}

// number gives a handle to C. A loop that takes no more work is reported: C has
// no way to hear of it but an invalid handle.
func number(t tool.Tool, h tool.Handle, err error) C.ptrdiff_t {
	if err != nil {
		t.Host().Report(err)
		return 0
	}
	return C.ptrdiff_t(h)
}

//export ftngoSchedCancel
func ftngoSchedCancel(handle C.uintptr_t, h C.ptrdiff_t) {
	peerOf(handle).host().Cancel(tool.Handle(h))
}

//export ftngoSchedValid
func ftngoSchedValid(handle C.uintptr_t, h C.ptrdiff_t) C.int {
	return flag(peerOf(handle).host().Valid(tool.Handle(h)))
}

//export ftngoSameThread
func ftngoSameThread(handle C.uintptr_t) C.int {
	return flag(peerOf(handle).host().InLoop())
}
