//go:build cgo

package cabi

// #include "foreign.h"
import "C"

import (
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/tool"
)

// foreignTool is the loop of a foreign engine, as far as its function table allows. It schedules through an instance of the engine, which
// it makes on first use, and which outlives the step that it was made from.
type foreignTool struct {
	host *tool.Host

	mu      sync.RWMutex        // read-locked while of or own is used
	of      *C.FutoInAsyncSteps // a step whose code is running; nil when none is
	own     *C.ftn_abroad       // acquired and released on the loop
	waiting []errand            // callbacks from other threads that wait for an instance
	closed  bool                // close was called; a guard may still refer to the tool
	turned  bool                // a turn of the run follows anyway, so Immediate has nothing to schedule
}

type errand struct {
	handle binval.Handle
	ms     int64
}

var _ tool.Tool = (*foreignTool)(nil)

type callback struct {
	fn    func()
	on    *foreignTool
	timer *timer
}

// timer is the state of a callback in the foreign loop.
type timer struct {
	mu     sync.Mutex
	handle C.FutoInHandle // of the current leg of the wait
	known  bool           // handle is valid; false if a thread of this package waits instead
	left   int64          // milliseconds to wait after this leg
}

// longestLeg is the longest delay that a foreign loop accepts, in milliseconds: less than 50 days. A longer wait has several parts, called
// legs.
const longestLeg = 1<<32 - 1

var callbacks binval.Handles[callback]

func newForeignTool(of *C.FutoInAsyncSteps) *foreignTool {
	return &foreignTool{host: tool.NewHost(tool.TurnLimits{}), of: of}
}

// lend sets the step whose code is running, from which open can make the instance. of is nil when the code is about to return.
func (t *foreignTool) lend(of *C.FutoInAsyncSteps) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of == nil && len(t.waiting) > 0 {
		t.open()
	}
	t.of = of
}

// instance makes the instance, if there is none. It is called on the loop, while the code of a step is running.
func (t *foreignTool) instance() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open()
}

// open makes the instance and starts the waits of the errands. It does nothing if there is an instance, if there is no step to make it
// from, or if the tool was closed. t.mu is locked.
func (t *foreignTool) open() {
	if t.own != nil || t.closed || t.of == nil {
		return
	}
	t.own = C.ftn_abroad_open(t.of)
	for _, w := range t.waiting {
		if c, ok := callbacks.Get(w.handle); ok && (t.own == nil || !c.timer.begin(t.own, w.handle, w.ms)) {
			callbacks.Take(w.handle)
		}
	}
	t.waiting = nil
}

func (t *foreignTool) here() bool {
	switch {
	case t.own != nil:
		return C.ftn_abroad_same(t.own) != 0
	case t.of != nil:
		return C.ftn_abroad_here(t.of) != 0
	default:
		return false
	}
}

// turns sets whether a turn of the run follows anyway, so that Immediate need not schedule one.
func (t *foreignTool) turns(follows bool) {
	t.mu.Lock()
	t.turned = follows
	t.mu.Unlock()
}

// close gives the instance up, on the loop, and drops the callbacks that wait for one.
func (t *foreignTool) close() {
	t.mu.Lock()
	own, waiting := t.own, t.waiting
	t.own, t.waiting, t.closed = nil, nil, true
	t.mu.Unlock()
	for _, w := range waiting {
		callbacks.Take(w.handle)
	}
	if own != nil {
		C.ftn_abroad_close(own)
	}
}

// Immediate implements tool.Tool.
func (t *foreignTool) Immediate(fn func()) (tool.Handle, error) {
	t.mu.RLock()
	turned := t.turned
	t.mu.RUnlock()
	if turned {
		return 0, nil
	}
	return t.schedule(-1, fn)
}

// Deferred implements tool.Tool. The foreign clock counts milliseconds, so a fraction is rounded up.
func (t *foreignTool) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	if d < 0 {
		return 0, tool.ErrNegativeDelay
	}
	ms := d.Milliseconds()
	if d%time.Millisecond != 0 {
		ms++ // rounded up after the division, because adding before it could overflow
	}
	return t.schedule(ms, fn)
}

// shortest is the shortest delay that this package asks of foreign loops, in milliseconds. The C++ engine ends the process for a shorter
// one.
const shortest = 100

// schedule makes the foreign loop call fn after ms milliseconds, as an immediate if ms is below 1.
func (t *foreignTool) schedule(ms int64, fn func()) (tool.Handle, error) {
	if fn == nil {
		return 0, tool.ErrNilFunc
	}
	handle := callbacks.Put(callback{fn: fn, on: t, timer: &timer{}})
	if !t.begin(handle, ms) {
		callbacks.Take(handle)
		return 0, tool.ErrShutdown
	}
	return tool.Handle(handle), nil
}

// begin starts the wait of ms milliseconds for a callback. It reports false if the loop can't be asked, or the callback was cancelled.
func (t *foreignTool) begin(handle binval.Handle, ms int64) bool {
	c, ok := callbacks.Get(handle)
	if !ok {
		return false
	}
	t.mu.RLock()
	if t.own != nil {
		defer t.mu.RUnlock()
		return c.timer.begin(t.own, handle, ms)
	}
	here := t.here()
	t.mu.RUnlock()

	t.mu.Lock()
	defer t.mu.Unlock()
	if here {
		t.open() // must not be called on another thread
	}
	switch {
	case t.own != nil:
		return c.timer.begin(t.own, handle, ms)
	case t.closed || t.of == nil || here:
		return false
	}
	t.waiting = append(t.waiting, errand{handle, ms})
	return true
}

// begin starts the first leg of a wait of ms milliseconds, or schedules an immediate if ms is below 1. It reports false if the callback
// was cancelled, or if ftn_abroad_send fails.
func (k *timer) begin(on *C.ftn_abroad, handle binval.Handle, ms int64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, ok := callbacks.Get(handle); !ok {
		return false // cancelled
	}
	if ms == 0 {
		ms = -1
	}
	leg := min(ms, longestLeg)
	if left := ms - leg; left > 0 && left < shortest {
		leg -= shortest // leave enough for the last leg
	}
	k.left = ms - leg
	k.known = (leg < 0 || leg >= shortest) && C.ftn_abroad_same(on) != 0
	if k.known {
		k.handle = C.ftn_abroad_schedule(on, C.int64_t(leg), C.uintptr_t(handle))
		return true
	}
	return C.ftn_abroad_send(on, C.int64_t(leg), C.uintptr_t(handle)) != 0
}

// early reports whether c is called before its time. Then it starts the next leg of the wait, or drops c if begin fails.
func (c callback) early(handle binval.Handle) bool {
	c.timer.mu.Lock()
	left := c.timer.left
	c.timer.mu.Unlock()
	if left == 0 {
		return false
	}
	if !c.on.begin(handle, left) {
		callbacks.Take(handle) // cancelled, or its loop is gone
	}
	return true
}

// Cancel implements tool.Tool.
func (t *foreignTool) Cancel(h tool.Handle) bool {
	handle := binval.Handle(h)
	c, ok := callbacks.Take(handle)
	t.mu.RLock()
	defer t.mu.RUnlock()
	if !ok || t.own == nil {
		return ok // the foreign loop may still call ftngoScheduled, which finds nothing to do
	}
	c.timer.mu.Lock()
	defer c.timer.mu.Unlock()
	switch {
	case !c.timer.known:
		C.ftn_abroad_recall(t.own, C.uintptr_t(handle))
	case C.ftn_abroad_same(t.own) != 0:
		C.ftn_abroad_cancel(t.own, c.timer.handle)
	}
	return true
}

// Valid implements tool.Tool.
func (t *foreignTool) Valid(h tool.Handle) bool {
	_, ok := callbacks.Get(binval.Handle(h))
	return ok
}

// InLoop implements tool.Tool.
func (t *foreignTool) InLoop() bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.here()
}

// Host implements tool.Tool.
func (t *foreignTool) Host() *tool.Host { return t.host }

//export ftngoScheduled
func ftngoScheduled(handle C.uintptr_t) {
	h := binval.Handle(handle)
	if c, ok := callbacks.Get(h); !ok || c.early(h) {
		return
	}
	if c, ok := callbacks.Take(h); ok {
		c.on.host.Call(c.fn)
	}
}
