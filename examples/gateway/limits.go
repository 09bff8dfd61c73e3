package main

import (
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// maxCalls is how many calls a backend gets at a time with wide limits, and thus how many requests can be answered at a time without
// waiting for each other.
const maxCalls = 32

// limits are the limits of a gateway.
type limits struct {
	door  syncx.Limits   // for requests that enter the gateway
	calls map[string]int // by the name of a backend: how many calls it gets at a time
	wait  time.Duration  // for each part of a page, including the wait in the queue of its backend
}

// wide returns limits that reject no request and let no call wait, as long as there are at most maxCalls requests at a time.
func wide(wait time.Duration) limits {
	return limits{
		door:  syncx.Limits{Concurrent: 2 * maxCalls, MaxQueue: 2 * maxCalls, Rate: 1000, Burst: 2 * maxCalls},
		calls: map[string]int{"price": maxCalls, "stock": maxCalls, "reviews": maxCalls},
		wait:  wait,
	}
}

type guards struct {
	door  *syncx.Limiter
	calls map[string]*syncx.Mutex // to each backend
	wait  time.Duration
}

// guards makes guards of the limits. As many calls as a backend gets at a time may also wait for it; further calls are
// rejected.
func (l limits) guards() guards {
	g := guards{door: syncx.NewLimiter(l.door), calls: make(map[string]*syncx.Mutex), wait: l.wait}
	for name, most := range l.calls {
		g.calls[name] = syncx.NewMutex(most, most)
	}
	return g
}
