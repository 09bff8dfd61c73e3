//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
)

// ofRoot is the root that C means; nil if the pointer isn't one's.
func ofRoot(handle C.uintptr_t) *Root { return peerOf(handle).root.Load() }

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

// state is a state variable of C.
type state struct {
	value         C.uintptr_t // an address
	data, cleanup C.uintptr_t
	text          bool // value is a string that we have allocated
}

var _ frame.Owned = (*state)(nil)

// Free cleans the variable up when its run has ended.
func (s *state) Free(frame.Over) { s.drop() }

// drop cleans the variable up, once.
func (s *state) drop() {
	value := s.value
	s.value = 0
	switch {
	case value == 0:
	case s.text:
		C.ftn_free(value)
	case s.cleanup != 0:
		C.ftn_cleanup(s.cleanup, s.data, value)
	}
}

// store is the state of the run that the pointer belongs to.
type store interface {
	Get(key string) (any, bool)
	Set(key string, value any)
}

func (p *peer) store() store {
	root := p.root.Load()
	switch {
	case root != nil:
		return root.store()
	case p.step != nil && p.step.Run() != nil:
		return p.step.Run().Vars()
	default:
		return nil
	}
}

//export ftngoState
func ftngoState(handle, data C.uintptr_t, name *C.char, allocate, cleanup C.uintptr_t) C.uintptr_t {
	vars := peerOf(handle).store()
	if vars == nil {
		return 0
	}
	key := C.GoString(name)
	found, ok := vars.Get(key)
	if key == errorInfo {
		return infoText(vars, found)
	}
	if ok {
		if s, ours := found.(*state); ours {
			return s.value
		}
		return 0 // a variable of Go
	}
	if allocate == 0 {
		return 0
	}
	value := C.ftn_allocate(allocate, data)
	if value != 0 {
		vars.Set(key, &state{value: value, data: data, cleanup: cleanup})
	}
	return value
}

const errorInfo = "error_info"

// infoText is error_info as C can read it; the copy is a variable of its own,
// under a name that C can't have.
func infoText(vars store, found any) C.uintptr_t {
	const key = "\x00" + errorInfo
	if old, ok := vars.Get(key); ok {
		if s, ours := old.(*state); ours {
			s.drop()
		}
	}
	info, _ := found.(string)
	if info == "" {
		return 0
	}
	s := &state{value: lend(info), text: true}
	vars.Set(key, s)
	return s.value
}
