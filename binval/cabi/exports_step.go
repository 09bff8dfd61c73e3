//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"time"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/internal/table"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
)

//export ftngoReset
func ftngoReset(v *C.FutoInBinaryValue) {
	_ = (*binval.Value)(unsafe.Pointer(v)).Reset() // can't fail, because package binval has made the value
}

//export ftngoPeer
func ftngoPeer(handle C.uintptr_t) C.uintptr_t {
	outer := peerOf(handle)
	p := newPeer(outer.host())
	p.c.flow = outer.c.flow
	p.within = outer
	return p.address()
}

//export ftngoUnpeer
func ftngoUnpeer(handle C.uintptr_t) { peerOf(handle).Leave() }

// C has checked that code of the step runs on the calling thread.
//
//export ftngoSetTimeout
func ftngoSetTimeout(handle C.uintptr_t, ms C.uint32_t) {
	p := peerOf(handle)
	if p.step == nil {
		return
	}
	p.step.SetTimeout(time.Duration(ms) * time.Millisecond)
	p.publish()
}

// C has checked that code of the step runs on the calling thread.
//
//export ftngoSetCancel
func ftngoSetCancel(handle, data, hook C.uintptr_t) {
	p := peerOf(handle)
	if p.step == nil {
		return
	}
	if hook == 0 {
		p.step.SetCancel(nil)
		return
	}
	p.step.SetCancel(func() {
		p.call(func() { C.ftn_hook(p.c, hook, data) })
		p.replay(p.step, nil) // the hook can have recorded only violations
	})
	p.hooked = true
	p.publish()
}

//export ftngoSuccess
func ftngoSuccess(handle C.uintptr_t, args *C.FutoInArgs) C.int {
	var none binval.Args
	a := &none
	if args != nil {
		a = (*binval.Args)(unsafe.Pointer(args))
	}
	return flag(calls(handle).complete(a, nil))
}

//export ftngoError
func ftngoError(handle C.uintptr_t, code, info *C.char) {
	var none binval.Args
	calls(handle).complete(&none, fault.New(fault.Code(text(code)), text(info)))
}

// ftngoLeave completes the wait of the step with a break or a continue.
//
//export ftngoLeave
func ftngoLeave(handle C.uintptr_t, label *C.char, again C.bool) {
	var none binval.Args
	calls(handle).complete(&none, dyn.Leaving(text(label), bool(again)))
}

// ftngoValid reports whether the step waits.
//
//export ftngoValid
func ftngoValid(handle C.uintptr_t) C.int {
	return flag(calls(handle).waiting().Valid())
}

//export ftngoLive
func ftngoLive(handle C.uintptr_t) C.int {
	root := calls(handle).root.Load()
	return flag(root != nil && root.run.Live())
}

// ftngoMisuse handles a violation on a thread where no code of a step runs. If the step of the pointer waits, the step fails; otherwise
// the violation is reported to the loop's error handler.
//
//export ftngoMisuse
func ftngoMisuse(handle C.uintptr_t, index C.size_t) {
	p := calls(handle)
	err := fault.New(fault.InternalError, "C "+table.Misused(uint(index)))
	waits := p.waiting().Valid() || p.waits()
	var none binval.Args
	if !waits || !p.complete(&none, err) {
		p.host().Host().Report(err)
	}
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
