package cluster

import (
	"context"
	"time"
)

// ProcessClock is the monotonic clock of the process.
type ProcessClock struct{}

var started = time.Now()

// Now implements [Clock].
func (ProcessClock) Now() time.Duration { return time.Since(started) }

// After implements [Clock].
func (ProcessClock) After(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// A request to the server waits for its answer for Patience. Acquire and Take wait for Pause after a request has failed.
const (
	Patience = 2 * time.Second
	Pause    = 20 * time.Millisecond
)

// Sleep waits for d, or until ctx ends.
func Sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
