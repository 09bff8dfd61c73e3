//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/internal/table"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/dyn"
)

// The kinds of steps of C. The types have no fields, because the dyn.Code of a step has all of its data.
type (
	catcher  struct{}           // only an error handler
	function struct{ catcher }  // an execute_callback
	turn     struct{ function } // the body of a loop
	counted  struct{ function } // the body of a repeat
)

func (catcher) Exec(s *dyn.Step, _ *binval.Args) { s.Break(table.NoCode) }

// begin returns the peer that the code of s is called with. If s has no code it fails s, and returns nil.
func begin(s *dyn.Step) (*peer, dyn.Code) {
	code := s.Code()
	if code.Run == 0 {
		s.Break(table.NoCode)
		return nil, code
	}
	return mate(s), code
}

func (function) Exec(s *dyn.Step, in *binval.Args) {
	p, code := begin(s)
	if p == nil {
		return
	}
	dyn.Move(p.args(), in)
	p.call(func() { C.ftn_execute(p.address(), C.uintptr_t(code.Run), C.uintptr_t(code.Data)) })
	p.replay(s, nil)
}

func (turn) Exec(s *dyn.Step, _ *binval.Args) {
	p, code := begin(s)
	if p == nil {
		return
	}
	p.call(func() { C.ftn_turn(p.address(), C.uintptr_t(code.Run), C.uintptr_t(code.Data)) })
	p.replay(s, nil)
}

func (counted) Exec(s *dyn.Step, _ *binval.Args) {
	p, code := begin(s)
	if p == nil {
		return
	}
	p.call(func() { C.ftn_count(p.address(), C.uintptr_t(code.Run), C.uintptr_t(code.Data), C.size_t(s.Index())) })
	p.replay(s, nil)
}

func (catcher) Catch(s *dyn.Step, err error) bool {
	code := s.Code()
	if code.Catch == 0 {
		return false
	}
	p := mate(s)
	word, free := p.code(fault.CodeOf(err))
	defer free()
	p.call(func() { C.ftn_catch(p.c, C.uintptr_t(code.Catch), C.uintptr_t(code.Data), word) })
	p.replay(s, err)
	return true
}

// code lends an error code to C for the time of a call: in the peer's own memory or, if it doesn't fit there, in memory that free frees.
func (p *peer) code(c fault.Code) (word C.uintptr_t, free func()) {
	s := c.Error()
	if len(s) < len(p.c.code) {
		to := unsafe.Slice((*byte)(unsafe.Pointer(&p.c.code)), len(p.c.code))
		to[copy(to, s)] = 0
		return C.uintptr_t(uintptr(unsafe.Pointer(&p.c.code))), func() {}
	}
	word = lend(s)
	return word, func() { C.ftn_free(word) }
}

// lend copies a string to C memory, to be freed with ftn_free. If there is no memory it ends the program, as an allocation of Go does.
func lend(s string) C.uintptr_t { return C.uintptr_t(uintptr(unsafe.Pointer(C.CString(s)))) }
