//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/futoin-go/asyncsteps/internal/registry"
	"github.com/futoin-go/asyncsteps/tool"
)

// task is a callback of C that a loop will call.
type task struct {
	tool           tool.Tool
	handle         atomic.Uint64 // the last tool.Handle; 0 before there is one
	number         uintptr
	data, callback C.uintptr_t
	run            func()       // call, bound once
	users          atomic.Int32 // schedule and the loop count 1 each while they use the task; the last one recycles it

	// A peer may have a task, which its code schedules by a number that C was given before. of is that peer until part is called, and
	// nil for other tasks. of is changed only while tasks.mu is held.
	of    *peer
	owned bool // the task was made for a peer
}

// tasks holds the tasks of all loops by the numbers that C has.
var tasks struct {
	mu    sync.Mutex
	table registry.Table[*task]
	sweep int // number of tasks at which the next sweep begins
}

var spare sync.Pool // of *task

// schedule makes t call back after d, or as an immediate if d is negative, and returns the number of the task. If the loop takes no more
// work, schedule returns 0 and reports the error, because C can't see it. For a NULL callback schedule returns 0 too.
func schedule(t tool.Tool, d time.Duration, data, callback C.uintptr_t) uintptr {
	if callback == 0 {
		return 0
	}
	k, ok := spare.Get().(*task)
	if !ok {
		k = new(task)
		k.run = k.call
	}
	k.tool, k.data, k.callback = t, data, callback
	k.users.Store(2)
	number := keep(k)
	var h tool.Handle
	var err error
	if d < 0 {
		h, err = t.Immediate(k.run)
	} else {
		h, err = t.Deferred(d, k.run)
	}
	if err != nil {
		take(number)
		k.done() // for the loop, which won't call the task
		number = 0
		t.Host().Report(err)
	}
	k.handle.Store(uint64(h))
	k.done()
	return number
}

func (k *task) call() {
	host := k.tool.Host()
	loop := C.uintptr_t(uintptr(unsafe.Pointer(host)))
	data, callback, renewed := k.renew()
	if !renewed {
		take(k.number)
		data, callback = k.data, k.callback
	}
	defer func() { // also if Go code that the callback has called panics
		laneOf(host).settleOn(loop)
		k.done()
	}()
	call(func() { C.ftn_scheduled(loop, callback, data) }, abandonCallback)
}

// reserve gives the code of p the number of a task, so that the code can schedule its next immediate without a call of Go. It is called on
// the loop of p.
func (p *peer) reserve() {
	if p.c.lane == nil || p.quick.Load() != nil {
		return
	}
	k := &task{tool: p.tool, of: p, owned: true}
	k.run = k.call
	number := keep(k)
	p.quick.Store(k)
	p.ticket().Store(number)
}

// ticket returns the field that holds the number of the next immediate. The field is 0 once C has scheduled that immediate.
func (p *peer) ticket() *atomic.Uintptr { return (*atomic.Uintptr)(unsafe.Pointer(&p.c.ticket)) }

// queue schedules the immediate of a task that belongs to a peer.
func (k *task) queue() error {
	h, err := k.tool.Immediate(k.run)
	if err != nil {
		take(k.number)
		return err
	}
	k.handle.Store(uint64(h))
	return nil
}

// renew returns the callback of a task that belongs to a peer, and stores a new number in the peer, by which the C code of the peer can
// schedule its next immediate. ok is false if the task has no peer.
func (k *task) renew() (data, callback C.uintptr_t, ok bool) {
	if !k.owned {
		return 0, 0, false
	}
	tasks.mu.Lock()
	if p := k.of; p != nil {
		data, callback, ok = p.c.call_data, p.c.call, true
		k.number = tasks.table.Renew(k.number)
		p.ticket().Store(k.number)
	}
	tasks.mu.Unlock()
	return data, callback, ok
}

// detach separates a task from its peer. A task that is scheduled is still called, and its number stays valid until then; any other task
// is removed.
func (k *task) detach() {
	tasks.mu.Lock()
	defer tasks.mu.Unlock()
	switch {
	case k.of == nil:
	case k.of.ticket().Load() == 0: // the task is scheduled
		k.part()
	default:
		drop(k.number)
	}
}

// part separates the task from its peer, and keeps a copy of the callback that the peer has scheduled last. tasks.mu is locked.
func (k *task) part() {
	k.data, k.callback = k.of.c.call_data, k.of.c.call
	k.of.quick.Store(nil)
	k.of.ticket().Store(0)
	k.of = nil
}

func (k *task) done() {
	if !k.owned && k.users.Add(-1) == 0 {
		k.tool, k.data, k.callback, k.number = nil, 0, 0, 0
		k.handle.Store(0)
		spare.Put(k)
	}
}

func keep(k *task) uintptr {
	tasks.mu.Lock()
	defer tasks.mu.Unlock()
	if tasks.table.Len() >= tasks.sweep {
		sweep()
	}
	k.number = tasks.table.Put(k)
	return k.number
}

// sweep removes the tasks that a loop has dropped at its end: a loop doesn't report that. The tasks of peers stay: each peer has at
// most one.
func sweep() {
	for number, k := range tasks.table.All() {
		if h := k.handle.Load(); k.of == nil && h != 0 && !k.tool.Valid(tool.Handle(h)) {
			drop(number)
		}
	}
	tasks.sweep = max(64, 2*tasks.table.Len())
}

// drop removes the task with the given number, and returns it. tasks.mu is locked.
func drop(number uintptr) (k *task, ok bool) {
	k, ok = tasks.table.Take(number)
	if ok && k.of != nil {
		k.part()
	}
	return k, ok
}

// settled carries out the call that has scheduled the task with the given number, if that call is still kept. It returns the number.
func settled(number uintptr) uintptr {
	var p *peer
	tasks.mu.Lock()
	if k, ok := tasks.table.Get(number); ok {
		p = k.of
	}
	tasks.mu.Unlock()
	if p != nil {
		p.settle()
	}
	return number
}

// take removes the task with the given number and returns its loop and its handle there. The loop is nil if the task was called or
// cancelled.
func take(number uintptr) (tool.Tool, tool.Handle) {
	tasks.mu.Lock()
	defer tasks.mu.Unlock()
	if k, ok := drop(number); ok {
		return k.tool, tool.Handle(k.handle.Load())
	}
	return nil, 0
}

func valid(number uintptr) bool {
	tasks.mu.Lock()
	k, ok := tasks.table.Get(number)
	if !ok {
		tasks.mu.Unlock()
		return false
	}
	t, h := k.tool, tool.Handle(k.handle.Load())
	tasks.mu.Unlock()
	return t.Valid(h)
}
