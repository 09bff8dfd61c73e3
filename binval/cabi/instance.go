//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/futoin-go/asyncsteps/tool"
)

// newInstance makes a root without steps for C. The root's pointer is void until the caller sets the phase.
func (p *peer) newInstance(t tool.Tool) *peer {
	q := newPeer(t)
	if q.instance == nil {
		q.instance = new(Root)
	}
	q.instance.from = p
	q.begin(q.instance, t)
	return q
}

var makers struct {
	mu  sync.Mutex
	all map[*peer]struct{}
}

// ready returns the field that holds the instance which the next newInstance of p returns; the field is nil if none is ready. C takes the
// instance on any thread, without a call of Go. The pointer of the instance is void until C takes it.
func (p *peer) ready() *atomic.Pointer[C.ftn_steps] {
	return (*atomic.Pointer[C.ftn_steps])(unsafe.Pointer(&p.c.ready))
}

// prepare makes an instance ready for the next newInstance of p, unless p isn't a root any more, has an instance ready, or lives on a
// loop that isn't of package tool. It is called when an instance of p is freed.
func (p *peer) prepare() {
	if p.c.lane == nil || p.root.Load() == nil || p.ready().Load() != nil {
		return
	}
	q := p.newInstance(p.host())
	if !p.offer(q) {
		q.instance.Free()
	}
}

func (p *peer) offer(q *peer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.phase() == C.FTN_FREE || p.root.Load() == nil || p.ready().Load() != nil || !same(p.tool, q.tool) {
		return false
	}
	if !p.makes {
		p.makes = true
		makers.mu.Lock()
		if makers.all == nil {
			makers.all = make(map[*peer]struct{})
		}
		makers.all[p] = struct{}{}
		makers.mu.Unlock()
	}
	p.ready().Store(q.c)
	return true
}

// withdraw frees the instance that is ready, if there is one, and removes p from makers.
func (p *peer) withdraw() {
	makers.mu.Lock()
	delete(makers.all, p)
	makers.mu.Unlock()
	if c := p.ready().Swap(nil); c != nil {
		peerOf(c.peer).instance.Free()
	}
}

// Live returns how many FutoInAsyncSteps of this engine name a step, a parallel step or a root now, for tests and monitoring: it is 0 when
// all runs have ended and all roots are freed. It first releases the roots whose memory is kept after free. Any goroutine may call it.
func Live() int {
	lanes := &C.ftn_lanes
	for i := range lanes {
		(*lane)(&lanes[i]).release()
	}
	makers.mu.Lock()
	defer makers.mu.Unlock()
	ready := 0
	for p := range makers.all {
		if p.ready().Load() != nil {
			ready++
		}
	}
	free.mu.Lock()
	defer free.mu.Unlock()
	return max(free.live-ready, 0) // below 0 if an instance that was counted in ready has been taken and freed since
}
