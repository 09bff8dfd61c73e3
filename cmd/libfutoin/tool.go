//go:build cgo

package main

// #cgo CFLAGS: -I${SRCDIR}/../../binval/cabi
// #include <stdint.h>
import "C"

import (
	"context"
	"errors"
	"time"

	"github.com/futoin-go/asyncsteps/binval"
	"github.com/futoin-go/asyncsteps/tool"
)

// tools are the loops of C. Its pointer to a loop is a number of this table, which
// nobody follows.
var tools binval.Handles[*tool.Manual]

func loop(t C.uintptr_t) *tool.Manual {
	m, _ := tools.Get(binval.Handle(t))
	return m
}

//export ftngo_tool_new
func ftngo_tool_new() C.uintptr_t {
	return C.uintptr_t(tools.Put(tool.NewManual(tool.Options{})))
}

//export ftngo_tool_free
func ftngo_tool_free(t C.uintptr_t) {
	m, ok := tools.Take(binval.Handle(t))
	if !ok {
		return
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errFreed)
	_ = m.Shutdown(ctx) // what doesn't end was told to; nobody is left to tell
}

var errFreed = errors.New("ftngo_tool_free was called")

//export ftngo_iterate
func ftngo_iterate(t C.uintptr_t) C.int {
	if m := loop(t); m != nil && m.Iterate() {
		return 1
	}
	return 0
}

//export ftngo_run
func ftngo_run(t C.uintptr_t, limit C.int64_t) C.int {
	m := loop(t)
	if m == nil {
		return 0
	}
	l := limited{loop: m}
	if limit >= 0 {
		l.arm(time.Duration(limit) * time.Millisecond)
		defer l.disarm()
	}
	for !l.over {
		if m.Iterate() {
			continue
		}
		if l.idle() {
			return 0
		}
		if m.Wait(context.Background()) != nil {
			return 0 // shut down by somebody else
		}
	}
	if l.idle() {
		return 0
	}
	return 1
}

// limited is a stretch of driving a loop. Its end is a timer of that loop.
type limited struct {
	loop  *tool.Manual
	timer tool.Handle // 0: none
	end   time.Duration
	over  bool
}

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

// idle says whether nothing is queued but the timer, and no run lives.
func (l *limited) idle() bool {
	if l.loop.Host().Live() > 0 {
		return false
	}
	armed := l.timer != 0
	l.disarm()
	_, queued := l.loop.Next()
	if queued && armed {
		l.arm(max(l.end-l.loop.Host().Now(), 0))
	}
	return !queued
}
