// Package cluster is what guards that several processes share have in common; what
// differs is the server that they ask, a [Places] or a [Rate].
//
// Flows of one process wait in a queue here, first come, first served. One request of
// the process is at the server at a time, on behalf of the head of the queue. A flow
// that is inside holds a place of the server on a lease, which is renewed until the flow
// leaves. Where it can't be renewed in time, or somebody else has the place, the flow is
// evicted (G9).
//
// The package starts no goroutine and has no clock: whoever implements Places, Rate and
// [Clock] does. So all of it is tested in virtual time.
package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Clock is monotonic time.
type Clock interface {
	// Now is the time since an arbitrary start.
	Now() time.Duration
	// After calls f once, later, on any goroutine. After stop it may still call it.
	After(d time.Duration, f func()) (stop func())
}

// Places is a number of places at a server, of which each process may take some.
type Places interface {
	// Acquire asks for a place. It calls done once, later and not from inside of
	// Acquire: with the place, with [ErrTaken] if none is free and wait is false, or
	// with another error if asking again makes no sense. With wait it waits for a place
	// until ctx ends. What it can't hear about because the connection is broken it asks
	// again.
	Acquire(ctx context.Context, wait bool, done func(Place, error))
}

// Place is a place that was taken. Its methods don't block.
type Place interface {
	// Fence is larger for each place that is taken later.
	Fence() uint64
	// Since is a time not after that from which the server counts the lease.
	Since() time.Duration
	// Renew begins the lease anew, and calls done once, later: with [ErrLost] if
	// somebody else may have the place by now, with another error if it isn't known.
	Renew(ctx context.Context, done func(error))
	// Release gives the place back, if it is still this one's.
	Release()
}

// Rate is a number of entries that a server allows in a time.
type Rate interface {
	// Take asks for up to n entries, and calls done once, later: with how many it got.
	// If it is none, after says when to ask again. An error says that asking again makes
	// no sense.
	Take(ctx context.Context, n int, done func(got int, after time.Duration, err error))
}

var (
	// ErrTaken says that no place is free.
	ErrTaken = errors.New("all places are taken")
	// ErrLost says that somebody else may have the place.
	ErrLost = errors.New("the place was taken over")
	// ErrExpired is why a section is evicted whose lease wasn't renewed in time.
	ErrExpired = errors.New("the lease has passed without being renewed")
)

// failed is the error of a flow that the server can't serve.
func failed(kind string, err error) error {
	return fault.Wrap(fault.CommError, kind+": the server gives no answer that helps", err)
}

// rejected is the error of a flow that finds the queue full.
func rejected(kind string) error {
	return fault.New(fault.DefenseRejected, kind+": the queue of this process is full")
}

// lost is the error of a flow that has lost its place before its section has begun.
func lost(cause error) error {
	return fault.Wrap(syncx.LeaseLost, "the guard of the section has lost its lease", cause)
}
