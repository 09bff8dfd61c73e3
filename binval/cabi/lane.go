//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/tool"
)

// lane holds a call that code of C has made on a loop, and a free of a root, until Go carries them out. In recorder.h, struct ftn_lane
// describes when that is, and enum ftn_call lists the calls that are kept.
type lane C.ftn_lane

// laneOf returns the lane of the loop with host h. Several loops may share a lane.
func laneOf(h *tool.Host) *lane {
	at := uintptr(unsafe.Pointer(h))
	lanes := &C.ftn_lanes
	return (*lane)(&lanes[(at>>6^at>>12)%C.FTN_LANES])
}

// settle carries out the call that is kept, if there is one. If another thread carries the call out, settle waits for that. It is called
// when the code that has made the call has ended, and before anything that must take effect after the call.
func (l *lane) settle() { l.settleOn(0) }

// settleOn is settle for a caller on the loop with the given number, as C knows it; loop is 0 if the caller's loop isn't known.
func (l *lane) settleOn(loop C.uintptr_t) {
	if l == nil {
		return
	}
	kept := (*uintptr)(unsafe.Pointer(&l.kept))
	for {
		switch word := atomic.LoadUintptr(kept); word {
		case 0:
			return
		case C.FTN_BUSY:
			runtime.Gosched()
		default:
			if atomic.CompareAndSwapUintptr(kept, word, C.FTN_BUSY) {
				err := peerOf(C.uintptr_t(word>>2)).carryOut(word&3, loop)
				atomic.StoreUintptr(kept, 0)
				if err != nil {
					peerOf(C.uintptr_t(word >> 2)).host().Host().Report(err)
				}
				return
			}
		}
	}
}

// carryOut executes a call that was kept. loop is the argument of settleOn.
func (p *peer) carryOut(call uintptr, loop C.uintptr_t) error {
	if call == C.FTN_IMMEDIATE {
		return p.quick.Load().queue()
	}
	var none binval.Args
	out := p.given(&none)
	var taken bool
	if p.c.loop == loop && bool(p.c.open) {
		taken = p.done.Success(out) // only the loop writes done of a step that waits, so the loop reads it without a lock
	} else {
		taken = p.complete(out, nil)
	}
	if !taken {
		*out = binval.Args{} // too late; values with a cleanup aren't kept
	}
	return nil
}

func (p *peer) settle() { (*lane)(p.c.lane).settle() }

// calls returns the peer that C names in a call that queues something on the peer's loop, or asks what an earlier call has done. It first
// carries out what is kept for that loop, a free included.
func calls(handle C.uintptr_t) *peer {
	p := peerOf(handle)
	l := (*lane)(p.c.lane)
	l.settle()
	l.release()
	return p
}

func (l *lane) release() {
	if l == nil {
		return
	}
	freed := (*atomic.Pointer[C.ftn_steps])(unsafe.Pointer(&l.freed))
	if freed.Load() == nil {
		return
	}
	if c := freed.Swap(nil); c != nil {
		peerOf(c.peer).root.Load().discard()
	}
}

// settleOf carries out the call that is kept for the loop of bsi, if bsi belongs to this engine.
func settleOf(bsi *C.FutoInAsyncSteps) {
	if bsi.api == &C.ftn_table {
		peerOf((*C.ftn_steps)(unsafe.Pointer(bsi)).peer).settle()
	}
}

// dwell makes t the loop of p. Nobody else uses p yet.
func (p *peer) dwell(t tool.Tool) {
	if same(t, p.tool) {
		return
	}
	if k := p.quick.Load(); k != nil {
		k.detach()
	}
	p.c.lane = nil
	if on, _ := drive.Of(t); on != nil {
		p.c.lane = (*C.ftn_lane)(laneOf(t.Host()))
	}
	p.mu.Lock()
	p.tool = t
	p.mu.Unlock()
	p.c.loop = C.uintptr_t(uintptr(unsafe.Pointer(t.Host())))
}

// same reports whether t is the loop u. It is false for a t that isn't of package tool, because values of other types may not be
// comparable.
func same(t, u tool.Tool) bool {
	switch t := t.(type) {
	case *tool.Loop:
		l, ok := u.(*tool.Loop)
		return ok && l == t
	case *tool.Manual:
		m, ok := u.(*tool.Manual)
		return ok && m == t
	default:
		return false
	}
}
