package nats

import (
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/cluster"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Guards makes guards that are stored in one bucket of a NATS server. It is safe for
// concurrent use. Use [New]: guards of the zero Guards aren't well formed.
type Guards struct{ maker *cluster.Maker }

// New makes Guards in the bucket kv, which hold places on leases of the given length: a
// process that dies loses its places when the lease has passed, and one that can't reach
// the server for nearly that long evicts its flows. All processes must use the same length for one
// name. With a nil kv or a lease below 30 ms or above a year the guards aren't well
// formed: plans that use them can't be run.
//
//spec:ftn12 §1.11.3
func New(kv jetstream.KeyValue, lease time.Duration) *Guards {
	calls := newCalls(kv, lease)
	s := cluster.Server{
		Kind: "nats", Clock: clock, Name: named,
		Places: func(name string, n int) cluster.Places { return newPlaces(calls, name, n) },
		Rate: func(name string, maximum int, period time.Duration) cluster.Rate {
			return newRate(kv, name, maximum, period)
		},
	}
	if kv == nil {
		s.Client = invalid("the bucket is nil")
	}
	return &Guards{cluster.NewMaker(s, lease)}
}

var clock cluster.ProcessClock

func invalid(what string) error { return fault.New(fault.InvalidRequest, "nats: "+what) }

// named returns an error if keys of the bucket can't begin with name.
func named(name string) error {
	if len(name) > longestName {
		return invalid("a name has at most " + strconv.Itoa(longestName) + " bytes, got " + strconv.Itoa(len(name)))
	}
	if name == "" || strings.Trim(name, keyChars) != "" || strings.Contains("."+name+".", "..") {
		return invalid("the name " + strconv.Quote(name) + " is no key of a bucket")
	}
	return nil
}

// longestName is far below the 4096 bytes of a line of the protocol, beyond which a server closes the connection.
const longestName = 1024

const keyChars = "-/_=.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

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
// Order: flows of one process enter first come, first served. The processes that wait, one flow of each, are served in the same
// order: a process that leaves calls the first of them. One that doesn't take its place within a tenth of a lease, at most
// a tenth of a second, is passed over.
//
// Leases: a flow that is inside has a [syncx.Fence], and is evicted with [syncx.LeaseLost]
// if its process can't renew the lease in time. A flow that is inside already needs no
// second place. Deadlocks aren't detected.
//
// Errors: a server that can't be reached is asked again until the flow's own limit; where
// asking again makes no sense, as with a closed connection, the flows that wait fail with
// [fault.CommError]. If the name can't begin a key of a bucket or has more than 1024 bytes, or
// maximum is below 1 or above 100,000, the Mutex isn't well formed, see [Mutex.Err].
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

// Throttle makes a guard that allows at most maximum entries in a window of one period, to
// all processes that make one with the same name, maximum and period together. The first entry
// after the end of a window opens the next one. The queue is bounded as in [Guards.Mutex].
//
// Windows are measured by the clock of the server. There are no leases: nobody is evicted.
//
// The entry of a flow that is cancelled while the server is asked goes to the next flow of this process that waits. If no
// flow waits the entry counts nevertheless: entries aren't given back to the server, because the window may be over by then,
// and the next window would let in one more than maximum.
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
