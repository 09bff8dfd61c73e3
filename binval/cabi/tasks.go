//go:build cgo

package cabi

// #include "recorder.h"
import "C"

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/futoin-go/asyncsteps/tool"
)

// task is a callback of C that a loop will call.
type task struct {
	tool           tool.Tool
	handle         atomic.Uint64 // the tool.Handle; 0 until it is known
	number         uintptr
	data, callback C.uintptr_t
	run            func()       // call, bound once
	users          atomic.Int32 // counts the caller of schedule and the loop: the last one recycles the task

	// A task of a peer is scheduled by its code through a number that it was given before, and
	// belongs to the peer for good. handle is 0 while it isn't scheduled. of is nil for others, and
	// from detach on; written while tasks.mu is held.
	of    *peer
	owned bool // of was set
}

// tasks finds the tasks of all loops by the number that C has. A number carries the generation
// of its place.
var tasks struct {
	mu     sync.Mutex
	places []place
	free   []uint32
	sweep  int // when there are so many places, look for tasks that no loop holds any more
}

type place struct {
	task *task // nil if the place is free
	gen  uint32
}

var spare sync.Pool // of *task

// schedule makes t call back after d, or as an immediate if d is negative, and returns the
// number of the task. If the loop takes no more work, the error is reported, because C only
// gets the number 0.
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
		k.done() // the loop won't call it
		number = 0
		t.Host().Report(err)
	}
	k.handle.Store(uint64(h))
	k.done()
	return number
}

// call is the callback.
func (k *task) call() {
	host := k.tool.Host()
	data, callback, renewed := k.renew()
	if !renewed {
		take(k.number)
		data, callback = k.data, k.callback
	}
	returned := false
	defer func() {
		if !returned { // Go that the callback has called has panicked
			C.ftn_abandon(nil)
		}
		laneOf(host).settle()
		k.done()
	}()
	C.ftn_scheduled(C.uintptr_t(uintptr(unsafe.Pointer(host))), callback, data)
	returned = true
}

// reserve gives the code of p, which runs on its loop, the number of a task, so that it can
// schedule the next immediate without a call of Go.
func (p *peer) reserve() {
	if p.c.lane == nil || p.quick.Load() != nil {
		return
	}
	k := &task{tool: p.tool, of: p, owned: true}
	k.run = k.call
	number := keep(k)
	p.quick.Store(k)
	p.setTicket(number)
}

// setTicket tells C the number of the next immediate; 0 is none.
func (p *peer) setTicket(number uintptr) {
	atomic.StoreUintptr((*uintptr)(unsafe.Pointer(&p.c.ticket)), number)
}

// queue schedules a task of a peer.
func (k *task) queue() error {
	h, err := k.tool.Immediate(k.run)
	if err != nil {
		k.detach()
		return err
	}
	k.handle.Store(uint64(h))
	return nil
}

// renew returns the callback of a task that has a peer, and gives the code of the peer the
// number of its next immediate. ok is false for a task that has no peer.
func (k *task) renew() (data, callback C.uintptr_t, ok bool) {
	if !k.owned {
		return 0, 0, false
	}
	tasks.mu.Lock()
	defer tasks.mu.Unlock()
	if k.of == nil {
		return 0, 0, false
	}
	data, callback = k.of.c.call_data, k.of.c.call
	at := uint32(k.number) - 1
	tasks.places[at].gen++
	k.handle.Store(0)
	k.number = numbered(at)
	k.of.setTicket(k.number)
	return data, callback, true
}

// detach parts a task from its peer. If it is scheduled it is still called, and its number stays
// valid until then.
func (k *task) detach() {
	tasks.mu.Lock()
	defer tasks.mu.Unlock()
	switch {
	case k.of == nil:
	case k.handle.Load() != 0:
		k.part()
	default:
		release(uint32(k.number) - 1)
	}
}

// part makes a task of a peer one that has none. tasks.mu is locked.
func (k *task) part() {
	k.data, k.callback = k.of.c.call_data, k.of.c.call
	k.of.quick.Store(nil)
	k.of.setTicket(0)
	k.of = nil
}

// done is called once by each user of the task.
func (k *task) done() {
	if !k.owned && k.users.Add(-1) == 0 {
		k.tool, k.data, k.callback, k.number = nil, 0, 0, 0
		k.handle.Store(0)
		spare.Put(k)
	}
}

// keep finds a place for the task.
func keep(k *task) uintptr {
	tasks.mu.Lock()
	defer tasks.mu.Unlock()
	if len(tasks.free) == 0 && len(tasks.places) >= tasks.sweep {
		sweep()
	}
	var at uint32
	if n := len(tasks.free); n > 0 {
		at = tasks.free[n-1]
		tasks.free = tasks.free[:n-1]
	} else {
		at = uint32(len(tasks.places))
		tasks.places = append(tasks.places, place{})
	}
	p := &tasks.places[at]
	p.task = k
	k.number = numbered(at)
	return k.number
}

// numbered returns the number of the task in a place. tasks.mu is locked.
func numbered(at uint32) uintptr { return uintptr(tasks.places[at].gen)<<32 | uintptr(at+1) }

// sweep removes the tasks that a loop has dropped at its end, because a loop doesn't report
// that.
func sweep() {
	for i := range tasks.places {
		k := tasks.places[i].task
		if k == nil {
			continue
		}
		if h := k.handle.Load(); h != 0 && !k.tool.Valid(tool.Handle(h)) {
			release(uint32(i))
		}
	}
	tasks.sweep = max(64, 2*(len(tasks.places)-len(tasks.free)))
}

// release frees a place. tasks.mu is locked.
func release(at uint32) {
	if k := tasks.places[at].task; k.of != nil {
		k.part()
	}
	tasks.places[at] = place{gen: tasks.places[at].gen + 1}
	tasks.free = append(tasks.free, at)
}

// find returns the loop and the handle of the task with that number; a nil loop if it has been
// called or cancelled. tasks.mu is locked.
func find(number uintptr) (at uint32, t tool.Tool, h tool.Handle) {
	at = uint32(number) - 1
	if int64(at) >= int64(len(tasks.places)) || tasks.places[at].gen != uint32(number>>32) {
		return 0, nil, 0
	}
	k := tasks.places[at].task
	if k == nil {
		return 0, nil, 0
	}
	return at, k.tool, tool.Handle(k.handle.Load())
}

// settled carries out the call that has scheduled the task with that number, if it is still
// kept.
func settled(number uintptr) uintptr {
	var p *peer
	tasks.mu.Lock()
	if at, t, _ := find(number); t != nil {
		p = tasks.places[at].task.of
	}
	tasks.mu.Unlock()
	if p != nil {
		p.settle()
	}
	return number
}

// take does the work of find and removes the task.
func take(number uintptr) (tool.Tool, tool.Handle) {
	tasks.mu.Lock()
	defer tasks.mu.Unlock()
	at, t, h := find(number)
	if t != nil {
		release(at)
	}
	return t, h
}

// valid reports whether the task will be called.
func valid(number uintptr) bool {
	tasks.mu.Lock()
	_, t, h := find(number)
	tasks.mu.Unlock()
	return t != nil && t.Valid(h)
}
