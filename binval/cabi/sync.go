//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/binval/internal/table"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Sync is a guard of Go as a FutoInSync*, which steps of any engine can use.
//
//spec:ftn12 §2.7.3
type Sync struct {
	c      *C.ftn_sync
	handle binval.Handle
	given  syncx.Guard
	guard  guard.Guard // given, as the machine knows it
}

var guards binval.Handles[*Sync]

// NewSync makes g usable from C. A foreign engine calls lock and unlock from the thread of its loop: lock in the code of a step, which may
// then wait or fail, and unlock once for each lock that has succeeded, after the section, in any step with the same rootId. Re-entrance
// and queue limits are those of g. To a foreign flow each Sync is a guard of its own, even if two are made of the same g, or one of g and
// one of a syncx.MaxWait around g. If g loses its lease, a section of this engine fails with syncx.LeaseLost; a foreign flow isn't told,
// but g is left at once. NewSync fails with InvalidRequest if g is nil, with the error of g's method Err if g has one, and with
// InternalError if C has no memory.
//
//spec:ftn12 §2.7.3
func NewSync(g syncx.Guard) (*Sync, error) {
	if g == nil {
		return nil, fault.New(fault.InvalidRequest, "NewSync: the guard is nil")
	}
	if own, ok := g.(interface{ Err() error }); ok {
		if err := own.Err(); err != nil {
			return nil, err
		}
	}
	s := &Sync{given: g, guard: table.Untyped(g)}
	s.handle = guards.Put(s)
	s.c = C.ftn_sync_make(C.uintptr_t(s.handle))
	if s.c == nil {
		guards.Take(s.handle)
		return nil, fault.New(fault.InternalError, "NewSync: out of memory in C")
	}
	return s, nil
}

// Binary returns the FutoInSync*, which is valid until Free.
func (s *Sync) Binary() unsafe.Pointer { return unsafe.Pointer(s.c) }

// Free frees the FutoInSync*. Steps of this engine that are inside or wait go on, but no step may begin to use it, and foreign engines may
// not call it any more. Further calls do nothing. Any goroutine may call it.
func (s *Sync) Free() {
	if _, ok := guards.Take(s.handle); ok {
		C.ftn_free(C.uintptr_t(uintptr(unsafe.Pointer(s.c))))
	}
}

// FreeSync is [Sync.Free] for a caller that only has the FutoInSync*. It does nothing if this engine hasn't made p.
func FreeSync(p unsafe.Pointer) {
	sync := (*C.FutoInSync)(p)
	if sync == nil || sync.api != &C.ftn_sync_table {
		return
	}
	if s, ok := guards.Get(binval.Handle((*C.ftn_sync)(p).guard)); ok {
		s.Free()
	}
}

func guardOf(sync *C.FutoInSync) guard.Guard {
	if sync != nil && sync.api == &C.ftn_sync_table {
		if s, ok := guards.Get(binval.Handle((*C.ftn_sync)(unsafe.Pointer(sync)).guard)); ok {
			return s.guard
		}
		sync = nil
	}
	return table.Untyped(foreignGuard{sync})
}

// WrapSync makes a guard for Go of a FutoInSync*: the guard itself if [NewSync] has made the pointer, otherwise one that calls the
// foreign object. The calls are made on the loops of the runs, so if the runs live on several loops the foreign object must be safe for
// several threads. A nil pointer, or one without a function table, is an InvalidRequest.
//
// For the foreign object each entry is a flow of its own. A flow of this engine that is inside already enters again without a call of
// the object.
//
//spec:ftn12 §2.7.3
func WrapSync(p unsafe.Pointer) (syncx.Guard, error) {
	sync := (*C.FutoInSync)(p)
	if sync == nil || sync.api == nil {
		return nil, errNoSync
	}
	if sync.api == &C.ftn_sync_table {
		s, ok := guards.Get(binval.Handle((*C.ftn_sync)(p).guard))
		if !ok {
			return nil, errNoSync
		}
		return s.given, nil
	}
	return foreignGuard{sync}, nil
}

var errNoSync = fault.New(fault.InvalidRequest, "the FutoInSync has no function table, or was freed")
