//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

type state struct {
	value         C.uintptr_t // an address; 0 after drop
	data, cleanup C.uintptr_t
	host          *tool.Host // gets a panic of cleanup
	text          bool       // value is a string in memory that this package has allocated
	kept          bool       // a root keeps the variable until the root is freed
}

var _ frame.Owned = (*state)(nil)

// Free cleans the variable up when its run has ended, unless C may still ask the root for it.
func (s *state) Free(frame.Over) {
	if !s.kept {
		s.drop()
	}
}

func (s *state) drop() {
	value := s.value
	s.value = 0
	switch {
	case value == 0:
	case s.text:
		C.ftn_free(value)
	case s.cleanup != 0:
		s.host.Call(func() { C.ftn_cleanup(s.cleanup, s.data, value) })
	}
}

type store interface {
	Get(key string) (any, bool)
	Set(key string, value any)
}

func (p *peer) store() store {
	switch root := p.root.Load(); {
	case root != nil:
		return root.store()
	case p.step != nil && p.step.Run() != nil:
		return p.step.Run().Vars()
	case p.within != nil:
		return p.within.store()
	default:
		return nil
	}
}

// keeper returns the root whose run the pointer belongs to; nil if there is none, as inside of a plan of Go.
func (p *peer) keeper() *Root {
	if root := p.root.Load(); root != nil {
		return root
	}
	if p.step != nil {
		if o, ok := p.step.Owner().(*rootOwner); ok {
			return (*Root)(o)
		}
	}
	if p.within != nil {
		return p.within.keeper()
	}
	return nil
}

// ftngoKept returns the value of a variable of the root that the pointer names, if C has made the variable before; otherwise 0. Any thread
// may call it at any time (B7).
//
//export ftngoKept
func ftngoKept(handle C.uintptr_t, name *C.char) C.uintptr_t {
	p := peerOf(handle)
	r := p.root.Load()
	if r == nil || p.phase() == C.FTN_FREE {
		return 0
	}
	value, _ := r.vars.Get(C.GoString(name))
	return valueOf(value)
}

// ftngoIdle reports whether the pointer names a root that isn't executing, so that any one thread may use its state.
//
//export ftngoIdle
func ftngoIdle(handle C.uintptr_t) C.int {
	r := ofRoot(handle)
	return flag(r != nil && !r.run.Live())
}

//export ftngoState
func ftngoState(handle, data C.uintptr_t, name *C.char, allocate, cleanup C.uintptr_t) C.uintptr_t {
	p := peerOf(handle)
	root, vars := p.keeper(), p.store()
	if vars == nil {
		return 0
	}
	key := C.GoString(name)
	found, ok := vars.Get(key)
	if key == errorInfo {
		return infoText(vars, found)
	}
	if ok {
		return valueOf(found)
	}
	if allocate == 0 || frame.Reserved(key) {
		return 0
	}
	value := C.ftn_allocate(allocate, data)
	if value == 0 {
		return 0
	}
	v := &state{value: value, data: data, cleanup: cleanup, host: p.host().Host(), kept: root != nil}
	first := v.store(key, vars, root)
	if first == nil {
		return C.ftn_astray(p.c, data, value, cleanup)
	}
	if first != any(v) { // allocate, or another thread, has made the variable meanwhile
		v.drop()
	}
	return valueOf(first)
}

// store returns the variable with the given key, and makes s that variable if there is none. root is the result of keeper. If root was
// freed and its run has ended, store returns nil, because the variables of root are dropped then. A free by allocate may cause that.
func (s *state) store(key string, vars store, root *Root) any {
	if root == nil {
		if first, ok := vars.Get(key); ok {
			return first
		}
		vars.Set(key, s)
		return s
	}
	root.mu.Lock() // because Root.end, which looks for variables, may be called at the same time
	defer root.mu.Unlock()
	if root.freed && root.ended {
		return nil
	}
	first := root.vars.keep(key, s)
	vars.Set(key, first)
	root.peer.cleans()
	return first
}

// valueOf returns what C has stored in a state variable; 0 if there is none, or Go has set it.
func valueOf(variable any) C.uintptr_t {
	if s, ours := variable.(*state); ours {
		return s.value
	}
	return 0
}

const errorInfo = "error_info"

// infoText returns error_info as a C string; 0 if it is empty. The copy is a state variable under a name that C can't use.
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
