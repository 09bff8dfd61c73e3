package storm_test

import (
	"context"
	"time"
)

const (
	tick    = 100 * time.Millisecond
	hang    = 300        // ticks
	endless = 10_000_000 // bodies called in a scene, with loads and units written as text
)

// watch calls stop when nothing has happened for as many ticks as patience, or when bodies are called without an end. A tick
// means that this process had a processor, so a loaded or suspended machine is no reason to give up.
func (a *arena) watch(ctx context.Context, patience int, stop func()) {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	last := int64(0)
	for idle := 0; idle < patience; idle++ {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		switch now := a.progress(); {
		case now > endless:
			stop()
		case now != last:
			last, idle = now, -1
		}
	}
	stop()
}

// progress returns a number that changes when a run begins or ends, a body or a source takes fuel, a load works, or a unit is
// written as text.
func (a *arena) progress() (n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.lives {
		n += 1 + l.given - l.fuel.Load() + int64(l.ends.Load())
	}
	return n + int64(a.loads.Load()+a.written.Load())
}
