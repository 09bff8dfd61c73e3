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
// made for.
type foreignTool struct {
	host *tool.Host
	of   *C.FutoInAsyncSteps // the step; used until own is made

	mu     sync.Mutex
	own    *C.FutoInAsyncSteps
	closed bool // a guard may still hold it
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
	left   int64          // milliseconds after it
}

// longestLeg is what a foreign loop can wait at once, in milliseconds: less than
// 50 days. Longer timers wait in several legs.
const longestLeg = 1<<32 - 1

var callbacks binval.Handles[callback]

func newForeignTool(of *C.FutoInAsyncSteps) *foreignTool {
	return &foreignTool{host: tool.NewHost(tool.Turn{}), of: of}
}

// instance is what to schedule with. First called on the loop, while of is good.
func (t *foreignTool) instance() *C.FutoInAsyncSteps {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.own == nil && !t.closed {
		t.own = C.ftn_abroad_new(t.of)
	}
	return t.own
}

// close gives the instance back.
func (t *foreignTool) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.own != nil {
		C.ftn_abroad_free(t.own)
		t.own = nil
	}
}

// Immediate implements tool.Tool.
func (t *foreignTool) Immediate(fn func()) (tool.Handle, error) {
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

// schedule lets the foreign loop call fn after ms milliseconds; of -1 it is an
// immediate.
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
	k.begin(on, handle, ms)
	return tool.Handle(handle), nil
}

// begin waits the first leg of ms milliseconds. The caller holds k.mu.
func (k *timer) begin(on *C.FutoInAsyncSteps, handle binval.Handle, ms int64) {
	leg := min(ms, longestLeg)
	k.left = max(0, ms-leg)
	k.handle = C.ftn_abroad_schedule(on, C.int64_t(leg), C.uintptr_t(handle))
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
	if on := c.on.instance(); on != nil {
		c.timer.begin(on, handle, c.timer.left)
	} else {
		callbacks.Take(handle) // its loop is gone
	}
	return true
}

// Cancel implements tool.Tool.
func (t *foreignTool) Cancel(h tool.Handle) bool {
	c, ok := callbacks.Take(binval.Handle(h))
	if on := t.instance(); ok && on != nil {
		c.timer.mu.Lock()
		defer c.timer.mu.Unlock()
		C.ftn_abroad_cancel(on, c.timer.handle)
	}
	return ok
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
