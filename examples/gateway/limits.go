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

// bulkhead keeps a backend from more calls than it bears. As many again may
// wait; further ones are rejected, rather than to wait without a chance.
func (l limits) bulkhead(name string) *syncx.Mutex {
	return syncx.NewMutex(l.calls[name], l.calls[name])
}
