//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/internal/dyn"
	"github.com/futoin-go/asyncsteps/tool"
)

// peer is the Go side of a FutoInAsyncSteps of this engine. The two stay together; the step that they stand for changes.
type peer struct {
	c    *C.ftn_steps
	next *peer // the next free peer

	// These fields are used on the loop, or by the thread that uses or frees a root which doesn't execute.
	step   *dyn.Step
	hooked bool  // the code has set a cancel hook
	within *peer // the peer that this parallel step was added to

	quick atomic.Pointer[task] // the task that the code can schedule without a call of Go; nil if there is none

	mu    sync.Mutex
	tool  tool.Tool // stays set after the end of the step, to report misuse
	done  dyn.Done  // completes the wait of the step
	soon  *outcome  // a completion that came before Go knew that the step waits; nil if there is none
	makes bool      // p is in makers
	past  bool      // the step has begun a wait, which a thread may complete too late

	root atomic.Pointer[Root] // the root that the peer stands for; nil if it stands for a step
	// instance is the Root of a run that C has made by newInstance. C has only the pointer, so the Root is reused together with it.
	// instance is nil until the first newInstance that gets this peer.
	instance *Root
}

// peers holds all peers that were made, by number. Calls through the table that reach Go look here, so reading takes no lock: a published
// slice isn't changed.
var peers struct {
	mu  sync.Mutex
	all atomic.Pointer[[]*peer]
}

func enlist(p *peer) C.uintptr_t {
	peers.mu.Lock()
	defer peers.mu.Unlock()
	var all []*peer
	if seen := peers.all.Load(); seen != nil {
		all = *seen
	}
	all = append(all, p)
	peers.all.Store(&all)
	return C.uintptr_t(len(all) - 1)
}

func peerOf(number C.uintptr_t) *peer { return (*peers.all.Load())[number] }

// quarantine is how many other peers must become free before a free peer is reused, so that C can't hit another step if it uses a pointer
// shortly after the end of its step.
const quarantine = 64

var free struct {
	mu         sync.Mutex
	head, tail *peer
	n          int
	live       int // number of peers that aren't free
}

// newPeer takes a peer for a step or a root on t. The caller sets its flow. The pointer is void until its phase is set, by the caller
// or when code of the step begins.
func newPeer(t tool.Tool) *peer {
	p := takePeer()
	if p == nil {
		p = new(peer)
		if p.c = C.ftn_make(enlist(p)); p.c == nil {
			panic("cabi: out of memory")
		}
	}
	p.dwell(t)
	if thread := (*unsafe.Pointer)(unsafe.Pointer(&p.c.thread)); atomic.LoadPointer(thread) != nil {
		atomic.StorePointer(thread, nil) // the thread of a parallel step stays set until now
	}
	if p.c.stack != nil { // memory that was asked for while the pointer was void
		p.unstack(t)
	}
	return p
}

func takePeer() *peer {
	free.mu.Lock()
	free.live++
	var p *peer
	if free.n > quarantine {
		p = free.head
		free.head, p.next = p.next, nil
		free.n--
	}
	free.mu.Unlock()
	return p
}

// Leave implements dyn.Peer. It voids the pointer. If the pointer was void already, as after a free that C has kept, the blocks on its
// stack were asked for since then: C may be writing to them, so they stay until newPeer reuses p.
func (p *peer) Leave() {
	if p.phase() != C.FTN_FREE {
		p.setPhase(C.FTN_FREE)
		if p.c.stack != nil {
			p.clean()
			return
		}
	} else if p.c.leaving != nil {
		p.clean()
		return
	}
	p.unsay()
	p.mu.Lock()
	soon := p.forget()
	makes := p.makes
	p.past, p.makes = false, false
	p.mu.Unlock()
	if soon != nil {
		p.drop(soon)
	}
	if makes {
		p.withdraw()
	}
	if p.root.Load() != nil { // a store costs more
		p.root.Store(nil)
	}
	p.step, p.hooked, p.within = nil, false, nil

	free.mu.Lock()
	if free.head == nil {
		free.head = p
	} else {
		free.tail.next = p
	}
	free.tail = p
	free.n++
	free.live--
	free.mu.Unlock()
}

// clean calls the cleanups of the stack. If one of them calls Go code that panics, Leave calls those that are left.
func (p *peer) clean() {
	defer p.Leave()
	C.ftn_unstack(p.c)
}

// unstack calls the cleanups of the stack. A panic of one is reported to t.
func (p *peer) unstack(t tool.Tool) {
	for more := p.c.stack != nil; more; more = p.c.leaving != nil {
		t.Host().Call(func() { C.ftn_unstack(p.c) })
	}
}

func (p *peer) setPhase(phase uint32) {
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&p.c.phase)), phase)
}

// passes changes the phase from one to another. It reports false if p isn't in the phase from.
func (p *peer) passes(from, to uint32) bool {
	return atomic.CompareAndSwapUint32((*uint32)(unsafe.Pointer(&p.c.phase)), from, to)
}

func (p *peer) phase() uint32 {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&p.c.phase)))
}

// waits reports whether the code that runs, or has just returned, has called waitExternal. After publish or forget it reports
// false, until waitExternal is called again.
func (p *peer) waits() bool {
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&p.c.waits))) != 0
}

// waited makes waits report false; p.mu is locked.
func (p *peer) waited() {
	if p.waits() { // a store costs more
		atomic.StoreUint32((*uint32)(unsafe.Pointer(&p.c.waits)), 0)
	}
}

// binary returns the pointer that C has.
func (p *peer) binary() unsafe.Pointer { return unsafe.Pointer(p.c) }

// address returns the same pointer as a number, which cgo doesn't check: it isn't Go memory.
func (p *peer) address() C.uintptr_t { return C.uintptr_t(uintptr(unsafe.Pointer(p.c))) }

func (p *peer) args() *binval.Args { return (*binval.Args)(unsafe.Pointer(&p.c.in)) }

// given returns the values that C has given to success, for the caller to take. It returns none if there are no such values.
func (p *peer) given(none *binval.Args) *binval.Args {
	if !p.c.gives {
		return none
	}
	p.c.gives = false
	return (*binval.Args)(unsafe.Pointer(&p.c.out))
}

// mate returns the peer of a step that is beginning, or has begun. It makes one if the step has none.
func mate(s *dyn.Step) *peer {
	if p, ok := s.Peer().(*peer); ok {
		p.unsay() // drops recorded calls that weren't carried out, because an earlier one has ended the goroutine
		p.mu.Lock()
		soon := p.forget() // in a handler, what was kept for the wait of the body
		p.mu.Unlock()
		if soon != nil {
			p.drop(soon)
		}
		p.step = s
		return p
	}
	p := newPeer(s.Run().Tool())
	p.c.flow = C.ptrdiff_t(s.Flow())
	p.step = s
	s.SetPeer(p)
	return p
}

// outcome holds the values or the error of a call that completes the step and isn't recorded.
type outcome struct {
	args binval.Args
	err  error
}

// complete ends the wait of the step with args or, if err isn't nil, with err. It reports false, and leaves args to the caller, if it is
// too early or too late for that. The engine learns that a step waits when the code that has called waitExternal returns; complete keeps an
// outcome that comes earlier. In a handler whose body has waited, an outcome may be a late one for the body. So it is kept only after the
// handler has called waitExternal.
func (p *peer) complete(args *binval.Args, err error) bool {
	p.mu.Lock()
	done := p.done
	if done == (dyn.Done{}) && p.soon == nil && (p.waits() || p.phase() == C.FTN_EXECUTING && !p.past) {
		p.soon = &outcome{args.Take(), err}
		p.mu.Unlock()
		return true
	}
	p.mu.Unlock()
	return end(done, args, err)
}

// drop resets arguments that nobody has taken. The caller must hold no lock, because a reset may call code of their owner.
func (p *peer) drop(o *outcome) { dyn.Drop(p.host().Host(), &o.args) }

func end(done dyn.Done, args *binval.Args, err error) bool {
	if err != nil {
		return done.Fail(err)
	}
	return done.Success(args)
}

// setOpen tells C whether it may keep a success for the step. It is called on the loop, and by the thread that frees a root.
func (p *peer) setOpen(open bool) {
	p.c.open = C.bool(open)
}

// publish lets other threads complete the step, which has begun to wait.
func (p *peer) publish() {
	p.mu.Lock()
	p.done, p.past = p.step.Done(), true
	p.setOpen(p.c.lane != nil)
	p.waited()
	done, soon := p.done, p.soon
	p.soon = nil
	p.mu.Unlock()
	if soon != nil && !end(done, &soon.args, soon.err) {
		p.drop(soon)
	}
}

// forget clears the state of a former wait, and returns the completion that was kept for it, or nil. p.mu is locked.
func (p *peer) forget() *outcome {
	soon := p.soon
	p.done, p.soon = dyn.Done{}, nil
	p.setOpen(false)
	p.waited()
	return soon
}

// waiting returns the Done of the step's wait; it is zero before the step waits.
func (p *peer) waiting() dyn.Done {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done
}

// host returns the loop of the step or root that the pointer names, or has named last.
func (p *peer) host() tool.Tool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tool
}
