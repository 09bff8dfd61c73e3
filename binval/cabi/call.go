//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import "runtime"

// call calls code of C, on one thread: ftn_here of the thread tells whose code that is. If Go that the code has called
// panics or ends the goroutine, abandon puts ftn_here right before the goroutine may move to another thread.
func call(code, abandon func()) {
	runtime.LockOSThread()
	returned := false
	defer func() {
		if !returned {
			abandon()
		}
		runtime.UnlockOSThread()
	}()
	code()
	returned = true
}

// call calls code of the step, or its hook. If that doesn't return, what it has recorded is dropped.
func (p *peer) call(code func()) { call(code, p.abandon) }

// abandon ends the code or the hook of the step, through which Go that it has called has panicked.
func (p *peer) abandon() {
	C.ftn_abandon(p.c)
	p.settle()
	p.unsay()
}

// abandonCallback ends a callback of C, through which Go that it has called has panicked.
func abandonCallback() { C.ftn_abandon(nil) }
