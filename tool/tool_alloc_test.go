package tool_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

func nop() {}

// After the first use, scheduling, cancelling, running and registering allocate nothing.
func TestNoAllocations(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	registration := &tool.Registration{Stop: func(error) {}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, c := range []struct {
		name string
		op   func()
	}{
		{"immediate", func() { _, _ = m.Immediate(nop); m.Iterate() }},
		{"deferred", func() { _, _ = m.Deferred(0, nop); m.Iterate() }},
		{"cancel", func() {
			h, _ := m.Deferred(time.Hour, nop)
			m.Cancel(h)
			h, _ = m.Immediate(nop)
			m.Cancel(h)
		}},
		{"wait", func() {
			_, _ = m.Deferred(time.Microsecond, nop)
			for !m.Iterate() {
				_ = m.Wait(ctx)
			}
		}},
		{"reset", func() { _, _ = m.Immediate(nop); _ = m.Reset() }},
		{"registration", func() { _ = m.Host().Attach(registration); m.Host().Detach(registration) }},
	} {
		if allocs := testing.AllocsPerRun(100, c.op); allocs != 0 {
			t.Errorf("%s: %v allocations", c.name, allocs)
		}
	}
}

func TestLoopNoAllocations(t *testing.T) {
	l := tool.Start(tool.Options{Watchdog: tool.Watchdog{After: time.Hour}})
	back := make(chan struct{})
	at := l.Host().Turn().At
	var where place = "somewhere"
	fn := func() { at(&where); back <- struct{}{} }
	allocs := testing.AllocsPerRun(100, func() {
		_, _ = l.Immediate(fn)
		<-back
		_, _ = l.Deferred(0, fn)
		<-back
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	if err := l.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

// The memory of callbacks that other goroutines queued is used again. The test counts bytes: the memory is made for
// many callbacks together, so an average of allocations would be rounded to zero.
func TestPostsUseMemoryAgain(t *testing.T) {
	m := tool.NewManual(tool.Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20_000 {
		mustSchedule(t)(m.Immediate(nop))
		m.Iterate()
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 256<<10 {
		t.Errorf("20,000 callbacks, one at a time, took %d bytes", grown)
	}
}
