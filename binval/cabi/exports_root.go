//go:build cgo

package cabi

// #include "recorder.h"
import "C"

// ofRoot returns the root that the pointer names; nil if it doesn't name one.
func ofRoot(handle C.uintptr_t) *Root { return calls(handle).root.Load() }

//export ftngoNewInstance
func ftngoNewInstance(handle C.uintptr_t) C.uintptr_t {
	t := peerOf(handle).host()
	p := newPeer(t)
	if p.instance == nil {
		p.instance = new(Root)
	}
	p.begin(p.instance, t)
	return p.address()
}

//export ftngoFree
func ftngoFree(handle C.uintptr_t) C.int {
	r := ofRoot(handle)
	return flag(r != nil && r.Free())
}

//export ftngoCancel
func ftngoCancel(handle C.uintptr_t) C.int {
	r := ofRoot(handle)
	if r != nil {
		r.Cancel()
	}
	return flag(r != nil)
}

//export ftngoExecute
func ftngoExecute(handle, data, unhandled C.uintptr_t) C.int {
	r := ofRoot(handle)
	if r == nil {
		return 0
	}
	if err := r.execute(func() { r.unhandled, r.data = unhandled, data }); err != nil {
		r.peer.failed(err, unhandled, data)
	}
	return 1
}
