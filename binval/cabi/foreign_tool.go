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

// foreignTool is the loop of a foreign engine, as far as its table shows it. It
// schedules through an instance of its own, which outlives the step that it was
// made for, and is made when it is needed first.
type foreignTool struct {
	host *tool.Host

	mu     sync.Mutex
	of     *C.FutoInAsyncSteps // a step whose code is running; nil when none is
	own    *C.ftn_abroad
	closed bool // a guard may still hold it
	turned bool // a turn of the run follows: Immediate has nothing to schedule
}

var _ tool.Tool = (*foreignTool)(nil)

// callback is what a foreign loop will call.
type callback struct {
	fn    func()
	on    *foreignTool
	timer *timer
}

// timer is what the foreign loop has of a callback.
type timer struct {
	mu     sync.Mutex
	handle C.FutoInHandle // of the current leg
	known  bool           // the handle is: not if a thread of our own waits instead
	left   int64          // milliseconds after it
}

// longestLeg is what a foreign loop can wait at once, in milliseconds: less than
// 50 days. Longer timers wait in several legs.
const longestLeg = 1<<32 - 1

var callbacks binval.Handles[callback]

func newForeignTool(of *C.FutoInAsyncSteps) *foreignTool {
	return &foreignTool{host: tool.NewHost(tool.TurnLimits{}), of: of}
}

// lend sets the step whose code is running, for instance.
func (t *foreignTool) lend(of *C.FutoInAsyncSteps) {
	t.mu.Lock()
	t.of = of
	t.mu.Unlock()
}

// instance is what to schedule with; nil if there is none, and no step to make it
// from.
func (t *foreignTool) instance() *C.ftn_abroad {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.own == nil && !t.closed && t.of != nil {
		t.own = C.ftn_abroad_open(t.of)
	}
	return t.own
}

// turns says whether a turn of the run follows what is said to it now.
func (t *foreignTool) turns(follows bool) {
	t.mu.Lock()
	t.turned = follows
	t.mu.Unlock()
}

// close gives the instance back.
func (t *foreignTool) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.own != nil {
		C.ftn_abroad_close(t.own)
		t.own = nil
	}
}

// Immediate implements tool.Tool.
func (t *foreignTool) Immediate(fn func()) (tool.Handle, error) {
	t.mu.Lock()
	turned := t.turned
	t.mu.Unlock()
	if turned {
		return 0, nil
	}
	return t.schedule(-1, fn)
}

// Deferred implements tool.Tool. The foreign clock counts milliseconds: a part
// of one is waited entirely.
func (t *foreignTool) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	if d < 0 {
		return 0, tool.ErrNegativeDelay
	}
	ms := d.Milliseconds()
	if d%time.Millisecond != 0 {
		ms++ // not before the division: that overflows
	}
	return t.schedule(ms, fn)
}

// shortest is the shortest delay that foreign loops are asked for, in milliseconds:
// the C++ one ends the process for less.
const shortest = 100

// schedule lets the foreign loop call fn after ms milliseconds, as an immediate if
// that is below 1.
func (t *foreignTool) schedule(ms int64, fn func()) (tool.Handle, error) {
	if fn == nil {
		return 0, tool.ErrNilFunc
	}
	on := t.instance()
	if on == nil {
		return 0, tool.ErrShutdown
	}
	k := &timer{}
	handle := callbacks.Put(callback{fn: fn, on: t, timer: k})
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.begin(on, handle, ms) {
		callbacks.Take(handle)
		return 0, tool.ErrShutdown
	}
	return tool.Handle(handle), nil
}

// begin waits the first leg of ms milliseconds; below 1 it is an immediate. It
// reports false if that can't be done. The caller holds k.mu.
func (k *timer) begin(on *C.ftn_abroad, handle binval.Handle, ms int64) bool {
	if ms == 0 {
		ms = -1
	}
	leg := min(ms, longestLeg)
	if left := ms - leg; left > 0 && left < shortest {
		leg -= shortest // so that the last one is long enough
	}
	k.left = ms - leg
	k.known = (leg < 0 || leg >= shortest) && C.ftn_abroad_same(on) != 0
	if k.known {
		k.handle = C.ftn_abroad_schedule(on, C.int64_t(leg), C.uintptr_t(handle))
		return true
	}
	return C.ftn_abroad_send(on, C.int64_t(leg), C.uintptr_t(handle)) != 0
}

// early reports whether the time of c hasn't come yet, and waits the next leg
// then, unless c was cancelled meanwhile.
func (c callback) early(handle binval.Handle) bool {
	c.timer.mu.Lock() // Cancel takes the callback first, and the foreign timer then
	defer c.timer.mu.Unlock()
	if c.timer.left == 0 {
		return false
	}
	if _, ok := callbacks.Get(handle); !ok {
		return true
	}
	if on := c.on.instance(); on == nil || !c.timer.begin(on, handle, c.timer.left) {
		callbacks.Take(handle) // its loop is gone
	}
	return true
}

// Cancel implements tool.Tool.
func (t *foreignTool) Cancel(h tool.Handle) bool {
	c, ok := callbacks.Take(binval.Handle(h))
	if on := t.instance(); ok && on != nil && C.ftn_abroad_same(on) != 0 {
		c.timer.mu.Lock()
		defer c.timer.mu.Unlock()
		if c.timer.known {
			C.ftn_abroad_cancel(on, c.timer.handle)
		}
	}
	return ok // otherwise the foreign loop will call, and find nothing to do
}

// Valid implements tool.Tool.
func (t *foreignTool) Valid(h tool.Handle) bool {
	_, ok := callbacks.Get(binval.Handle(h))
	return ok
}

// InLoop implements tool.Tool.
func (t *foreignTool) InLoop() bool {
	on := t.instance()
	return on != nil && C.ftn_abroad_same(on) != 0
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
