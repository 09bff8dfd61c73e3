package tool

import (
	"fmt"
	"sync"
	"time"
)

// Watchdog watches for callbacks and step bodies that block their loop, which holds up every run on it. It
// costs one goroutine that ends with the loop, and some time at each callback and step.
type Watchdog struct {
	// After is how long a step body, or a callback without steps, may take before it is reported. Zero or less: off.
	After time.Duration

	// Report gets each stall once. It is called on the watchdog's goroutine, so the watchdog sees the next
	// stall only after Report has returned. A panic or a call of runtime.Goexit in Report is reported to
	// the loop's error handler, and the watchdog goes on. If Report is nil, the error handler gets the [Stall].
	Report func(Stall)
}

// Stall describes a callback or a step body that blocks its loop. It is an error, so that error handlers can take
// it.
type Stall struct {
	For   time.Duration // how long it had been running when it was noticed
	Where fmt.Stringer  // the last place that was given to TurnLimits.At; nil for a callback that executed no step
}

// Error returns a text with the duration and the place.
func (s Stall) Error() string {
	if s.Where == nil {
		return fmt.Sprintf("tool: a callback has blocked the loop for %v", s.For)
	}
	return fmt.Sprintf("tool: step %v has blocked the loop for %v", s.Where, s.For)
}

// watchdog tells what the loop is doing now; monitor checks that on another goroutine.
type watchdog struct {
	Watchdog
	mu       sync.Mutex
	busy     bool
	reported bool
	since    time.Time
	where    fmt.Stringer
}

func newWatchdog(w Watchdog) *watchdog {
	if w.After <= 0 {
		return nil
	}
	return &watchdog{Watchdog: w}
}

func (w *watchdog) begin() { w.set(true, nil) }
func (w *watchdog) end()   { w.set(false, nil) }

// at is the TurnLimits.At of a watched loop. It starts the time again, so that each step may take w.After.
func (w *watchdog) at(where fmt.Stringer) { w.set(true, where) }

// also is a HostOption that makes steps call w.at, and then the function of WithAt if there is one.
func (w *watchdog) also(h *Host) {
	at := h.turn.At
	if at == nil {
		h.turn.At = w.at
		return
	}
	h.turn.At = func(where fmt.Stringer) {
		w.at(where)
		at(where)
	}
}

func (w *watchdog) set(busy bool, where fmt.Stringer) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.reported, w.since, w.where = busy, false, now, where
}

// check returns the stall to report now, if there is one, and the time until the next check.
func (w *watchdog) check() (stall Stall, found bool, again time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.busy || w.reported {
		return Stall{}, false, w.After
	}
	lasted := time.Since(w.since)
	if lasted < w.After {
		return Stall{}, false, w.After - lasted
	}
	w.reported = true
	return Stall{For: lasted, Where: w.where}, true, w.After
}

// monitor calls check again and again until done is closed. check returns when the next call is due, so the loop needn't
// wake monitor.
func (w *watchdog) monitor(host *Host, done <-chan struct{}) {
	timer := time.NewTimer(w.After)
	defer timer.Stop()
	for {
		select {
		case <-done:
			return
		case <-timer.C:
		}
		stall, found, again := w.check()
		if found {
			host.Call(func() { w.report(host, stall) })
		}
		timer.Reset(again)
	}
}

func (w *watchdog) report(host *Host, stall Stall) {
	if w.Report == nil {
		host.Report(stall)
		return
	}
	w.Report(stall)
}
