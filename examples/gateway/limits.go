package main

import (
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// maxCalls is how many calls a backend gets at a time, and so how many requests
// can be answered at a time without waiting for each other.
const maxCalls = 32

// limits are what the gateway bears.
type limits struct {
	door  syncx.Limits   // for requests
	calls map[string]int // to each backend at a time
	wait  time.Duration  // for each backend
}

// wide limits turn nobody away, and let no call wait, as long as there are at
// most maxCalls requests at a time.
func wide(wait time.Duration) limits {
	return limits{
		door:  syncx.Limits{Concurrent: 2 * maxCalls, MaxQueue: 2 * maxCalls, Rate: 1000, Burst: 2 * maxCalls},
		calls: map[string]int{"price": maxCalls, "stock": maxCalls, "reviews": maxCalls},
		wait:  wait,
	}
}

// guards keep to limits. They are what the runs of a gateway share.
type guards struct {
	door  *syncx.Limiter
	calls map[string]*syncx.Mutex // to each backend
	wait  time.Duration
}

// guards makes guards. A backend gets no more calls than it bears. As many again
// may wait; further ones are rejected, rather than to wait without a chance.
func (l limits) guards() guards {
	g := guards{door: syncx.NewLimiter(l.door), calls: make(map[string]*syncx.Mutex), wait: l.wait}
	for name, most := range l.calls {
		g.calls[name] = syncx.NewMutex(most, most)
	}
	return g
}
