package redis

import (
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/cluster"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Guards makes guards that are stored in one Redis server. It is safe for concurrent use.
// Use [New]: guards of the zero Guards aren't well formed.
type Guards struct{ maker *cluster.Maker }

// New makes Guards that ask client, and hold places on leases of the given length: a
// process that dies loses its places when the lease has passed, and one that can't reach
// the server for nearly that long evicts its flows. All processes must use the same length for
// one name. With a nil client or a lease below 30 ms or above a year the guards aren't well
// formed: plans that use them can't be run.
//
//spec:ftn12 §1.11.3
func New(client goredis.UniversalClient, lease time.Duration) *Guards {
	calls := newCalls(client)
	s := cluster.Server{
		Kind: "redis", Clock: clock, Name: named,
		Places: func(name string, n int) cluster.Places { return newPlaces(client, calls, name, n, lease) },
		Rate: func(name string, maximum int, period time.Duration) cluster.Rate {
			return newRate(client, name, maximum, period)
		},
	}
	if client == nil {
		s.Client = invalid("the client is nil")
	}
	return &Guards{cluster.NewMaker(s, lease)}
}

var clock cluster.ProcessClock

func invalid(what string) error { return fault.New(fault.InvalidRequest, "redis: "+what) }

// named returns an error if name can't be put in braces in the keys of a guard.
func named(name string) error {
	if name == "" || strings.ContainsAny(name, "{}") {
		return invalid("a name must not be empty and has no braces, got " + strconv.Quote(name))
	}
	return nil
}

func (g *Guards) made() (*cluster.Maker, error) {
	if g == nil || g.maker == nil {
		return nil, invalid("not made by New")
	}
	return g.maker, nil
}

type (
	mutex    = cluster.Mutex
	throttle = cluster.Throttle
	limiter  = cluster.Limiter
)

// Mutex is a [syncx.Guard] that bounds how many flows, of all processes that use its name,
// are inside a section at once. See [Guards.Mutex].
//
// Its methods Inside and Queued count the flows of this process. It is safe for concurrent
// use, by runs on any loops, and must not be copied.
type Mutex struct {
	*mutex
	bad error
}

// Err returns nil if the Mutex is well formed, otherwise a fault.InvalidRequest.
func (m *Mutex) Err() error {
	if m == nil || m.mutex == nil && m.bad == nil {
		return invalid("not made by Guards.Mutex")
	}
	return m.bad
}

// Mutex makes a guard for at most maximum flows inside at once, in all processes that make
// one with the same name and maximum. When the server has answered that all places are taken, at most maxQueue flows of this
// process wait, and more are rejected with [fault.DefenseRejected]; until it answers, any number wait. With a negative
// maxQueue the queue isn't limited.
//
// Order: flows of one process enter first come, first served. The processes that wait, one flow of each, are served in the
// same order: a process that leaves keeps the place for the first of them and calls that process. Each process that waits
// also asks by itself, ten to twenty times in a second, or in a lease if a lease is shorter. If the called process doesn't
// come, or a lease passes, the first process that asks after that gets the place.
//
// Leases: a flow that is inside has a [syncx.Fence], and is evicted with [syncx.LeaseLost]
// if its process can't renew the lease in time. A flow that is inside already needs no
// second place. Deadlocks aren't detected.
//
// Errors: a server that can't be reached is asked again until the flow's own limit; where
// asking again makes no sense, as with a closed client, the flows that wait fail with
// [fault.CommError]. If the name is empty or has braces, or maximum is below
// 1 or above 100,000, the Mutex isn't well formed, see [Mutex.Err].
//
//spec:ftn12 §1.11.1
func (g *Guards) Mutex(name string, maximum, maxQueue int) *Mutex {
	maker, err := g.made()
	if err != nil {
		return &Mutex{bad: err}
	}
	made, err := maker.Mutex(name, maximum, maxQueue)
	return &Mutex{made, err}
}

// Throttle is a [syncx.Guard] that bounds how often a section is entered in a period, by
// all processes that use its name. See [Guards.Throttle].
//
// Its methods Inside and Queued count the entries of this process. It is safe for concurrent
// use, by runs on any loops, and must not be copied.
type Throttle struct {
	*throttle
	bad error
}

// Err returns nil if the Throttle is well formed, otherwise a fault.InvalidRequest.
func (h *Throttle) Err() error {
	if h == nil || h.throttle == nil && h.bad == nil {
		return invalid("not made by Guards.Throttle")
	}
	return h.bad
}

// Throttle makes a guard that allows maximum entries at once, and from then on one entry in each period/maximum, to all
// processes that make one with the same name, maximum and period together. The algorithm is GCRA, that of redis_rate: it
// limits like syncx.NewTokenBucket, not like syncx.NewThrottle, so that up to twice maximum may enter in one period.
// The queue is bounded as in [Guards.Mutex].
//
// Time is measured by the clock of the server, in microseconds. If that clock is set back, entries may have to wait until it
// shows the time of the last ones again; if it is set forward, up to maximum enter at once. There are no leases: nobody is
// evicted, and the sections have no [syncx.Fence].
//
// The entry of a flow that is cancelled while the server is asked goes to the next flow of this process that waits. If no
// flow waits the entry counts nevertheless, and so does an entry whose answer is lost with the connection: redis_rate has no
// call that gives an entry back.
//
// Errors: as with [Guards.Mutex]. If period isn't positive, the Throttle isn't well formed either.
//
//spec:ftn12 §1.11.2
func (g *Guards) Throttle(name string, maximum int, period time.Duration, maxQueue int) *Throttle {
	maker, err := g.made()
	if err != nil {
		return &Throttle{bad: err}
	}
	made, err := maker.Throttle(name, maximum, period, maxQueue)
	return &Throttle{made, err}
}

// Limiter is a [Mutex] and, inside of it, a [Throttle]. See [Guards.Limiter].
//
// Its methods Inside and Queued count the entries of this process. It is safe for concurrent
// use, by runs on any loops, and must not be copied.
type Limiter struct {
	*limiter
	bad error
}

// Err returns nil if the Limiter is well formed, otherwise a fault.InvalidRequest.
func (l *Limiter) Err() error {
	if l == nil || l.limiter == nil && l.bad == nil {
		return invalid("not made by Guards.Limiter")
	}
	return l.bad
}

// Limiter makes a guard with the given limits, and the defaults of [syncx.Limits], for all
// processes that make one with the same name and limits; MaxQueue and Burst bound the queues of
// this process. A flow that waits for the rate holds its place.
//
// Errors: as with [Guards.Mutex]. If Concurrent, Rate or Period is below zero, or Concurrent above 100,000, the Limiter isn't
// well formed either.
//
//spec:ftn12 §1.11.7
func (g *Guards) Limiter(name string, limits syncx.Limits) *Limiter {
	maker, err := g.made()
	if err != nil {
		return &Limiter{bad: err}
	}
	made, err := maker.Limiter(name, limits)
	return &Limiter{made, err}
}
