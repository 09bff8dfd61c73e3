//go:build cgo

package cabi

// #include "recorder.h"
import "C"

func ofRoot(handle C.uintptr_t) *Root {
	p := calls(handle)
	if p.phase() == C.FTN_FREE { // the root was freed, or C hasn't taken it yet
		return nil
	}
	return p.root.Load()
}

//export ftngoNewInstance
func ftngoNewInstance(handle C.uintptr_t) C.uintptr_t {
	p := calls(handle)
	q := p.newInstance(p.host())
	q.setPhase(C.FTN_BUILDING)
	return q.address()
}

//export ftngoFree
func ftngoFree(handle C.uintptr_t) C.int {
	r := ofRoot(handle)
	if r == nil {
		return 0
	}
	from := r.from
	if !r.Free() {
		return 0
	}
	if from != nil {
		from.prepare()
	}
	return 1
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
