package tool

import (
	"fmt"
	"sync"
	"time"
)

// Watchdog watches for callbacks and step bodies that block their loop, which holds up every run on it. It
// costs one goroutine that ends with the loop, and nothing while it is off.
type Watchdog struct {
	// After is how long a step body, or a callback without steps, may take before it is reported. Zero or less: off.
	After time.Duration

	// Report takes each stall, once, while it still lasts. It is called on the watchdog's goroutine, so it must
	// return for the next stall to be seen; a panic in it, and a call of runtime.Goexit, is reported to the loop's error
	// handler, and the watchdog goes on. Nil: the error handler gets the [Stall] instead.
	Report func(Stall)
}

// Stall is a callback that blocks its loop. It is an error, for handlers that take those.
type Stall struct {
	For   time.Duration // how long it had been running when it was noticed
	Where fmt.Stringer  // the place last given to [Turn.At]; nil for a callback that took no step
}

// Error says how long and where.
func (s Stall) Error() string {
	if s.Where == nil {
		return fmt.Sprintf("tool: a callback has blocked the loop for %v", s.For)
	}
	return fmt.Sprintf("tool: step %v has blocked the loop for %v", s.Where, s.For)
}

// watchdog is told by the loop what it does, and looks at it from its own goroutine. A lock rather than an atomic
// pointer: a pointer to an interface would cost an allocation for each step.
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

// at is the Turn.At of a watched loop: each step has the full time again.
func (w *watchdog) at(where fmt.Stringer) { w.set(true, where) }

func (w *watchdog) set(busy bool, where fmt.Stringer) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy, w.reported, w.since, w.where = busy, false, now, where
}

// check returns the stall that is due to be reported, if there is one, and when to look again.
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

// monitor looks until done is closed. Nobody wakes it: what it finds busy is looked at again when its time is up, and
// what began in between is found within twice After.
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
