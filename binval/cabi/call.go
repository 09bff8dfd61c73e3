//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import "runtime"

// call runs code, which calls C. It keeps the goroutine on its thread meanwhile, because ftn_here, a variable of the thread, tells
// whose code runs. If Go code that C has called panics or ends the goroutine, abandon corrects ftn_here before the goroutine may move
// to another thread.
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

// call runs code that calls a function of C for the step, such as its body, its handler or its cancel hook. If code doesn't return, the
// recorded calls of the table are dropped.
func (p *peer) call(code func()) { call(code, p.abandon) }

// abandon cleans up after code or a hook of the step that didn't return.
func (p *peer) abandon() {
	C.ftn_abandon(p.c)
	p.settle()
	p.unsay()
}

// abandonCallback corrects ftn_here after a callback or an unhandled_error of C that didn't return.
func abandonCallback() { C.ftn_abandon(nil) }
