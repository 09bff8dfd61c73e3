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
	take(k.number)
	C.ftn_scheduled(C.uintptr_t(uintptr(unsafe.Pointer(k.tool.Host()))), k.callback, k.data)
	k.done()
}

// done is called once by each user of the task.
func (k *task) done() {
	if k.users.Add(-1) == 0 {
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
	k.number = uintptr(p.gen)<<32 | uintptr(at+1)
	return k.number
}

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

func release(at uint32) {
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
