//go:build cgo

package main

// #cgo CFLAGS: -I${SRCDIR}/../../binval/cabi
// #include <stdint.h>
import "C"

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/tool"
)

// tools holds the loops of C. An ftngo_tool* is not an address but a number of this table.
var tools binval.Handles[*driven]

// driven is a loop that one thread at a time drives.
type driven struct {
	*tool.Manual
	busy    atomic.Bool
	limited limited // belongs to the thread that drives the loop
}

func loop(t C.uintptr_t) *tool.Manual {
	if d, ok := tools.Get(binval.Handle(t)); ok {
		return d.Manual
	}
	return nil
}

const busy = -1 // FTNGO_BUSY

// driving calls f with the loop of number t, and returns its result. It returns busy if a thread, perhaps this one, is driving the
// loop, and 0 if there is no such loop.
func driving(t C.uintptr_t, f func(d *driven) C.int) C.int {
	d, ok := tools.Get(binval.Handle(t))
	if !ok {
		return 0
	}
	if !d.busy.CompareAndSwap(false, true) {
		return busy
	}
	defer d.busy.Store(false)
	return f(d)
}

//export ftngo_tool_new
func ftngo_tool_new() C.uintptr_t {
	m := tool.NewManual(tool.Options{})
	on, _ := drive.Of(m)
	return C.uintptr_t(tools.Put(&driven{Manual: m, limited: limited{loop: m, on: on}}))
}

//export ftngo_tool_free
func ftngo_tool_free(t C.uintptr_t) C.int {
	return driving(t, func(d *driven) C.int {
		tools.Take(binval.Handle(t))
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errFreed)
		_ = d.Shutdown(ctx) // the runs left are cancelled; nobody is left to get the error
		return 0
	})
}

var errFreed = errors.New("ftngo_tool_free was called")

//export ftngo_iterate
func ftngo_iterate(t C.uintptr_t) C.int {
	return driving(t, func(d *driven) C.int {
		if d.Iterate() {
			return 1
		}
		return 0
	})
}

//export ftngo_run
func ftngo_run(t C.uintptr_t, limit C.int64_t) C.int {
	return driving(t, func(d *driven) C.int {
		l := &d.limited
		l.over = false
		if limit >= 0 {
			l.arm(time.Duration(min(limit, longest)) * time.Millisecond)
			defer l.disarm()
		}
		return l.run()
	})
}

const longest = math.MaxInt64 / C.int64_t(time.Millisecond)

// limited drives a loop until its time is over, which a timer of the loop notes in the field over, until nothing is left to do,
// or until the loop is shut down.
type limited struct {
	loop  *tool.Manual
	on    drive.Loop  // the same loop, for taking turns
	timer tool.Handle // 0 for none
	end   time.Duration
	over  bool
}

func (l *limited) run() C.int {
	for {
		empty := l.turns()
		switch {
		case l.idle(empty):
			return 0
		case l.over:
			return 1
		case l.loop.Wait(context.Background()) != nil:
			return 0 // shut down
		}
	}
}

// turns takes turns until the time is over or nothing can run now. It returns true if it knows that nothing is queued.
func (l *limited) turns() (empty bool) {
	seat := l.on.Seat()
	if !seat.Take() {
		return false // another goroutine has the seat
	}
	defer seat.Leave()
	return !l.on.Turns(l) && l.on.Empty()
}

func (l *limited) Enough() bool { return l.over }

func (l *limited) arm(d time.Duration) {
	l.end = l.loop.Host().Now() + d
	l.timer, _ = l.loop.Deferred(d, func() { l.over, l.timer = true, 0 })
}

func (l *limited) disarm() {
	if l.timer != 0 {
		l.loop.Cancel(l.timer)
		l.timer = 0
	}
}

// idle reports whether nothing but the timer is queued, and no run lives. empty means that the queue is known to be empty.
func (l *limited) idle(empty bool) bool {
	if l.loop.Host().Live() > 0 {
		return false
	}
	if empty {
		return true
	}
	armed := l.timer != 0
	l.disarm()
	_, queued := l.loop.Next()
	if queued && armed {
		l.arm(max(l.end-l.loop.Host().Now(), 0))
	}
	return !queued
}
