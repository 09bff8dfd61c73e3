// Package cluster is the common part of guards shared by several processes. A [Mutex] asks a [Places], a [Throttle] a [Rate],
// and a [Limiter] both.
//
// Flows of one process wait in a queue in the process, first come, first served. A Mutex has one call of Places.Acquire at a
// time, for the head of its queue; a Throttle has one call of Rate.Take at a time, for the flows that wait. A flow that is
// inside holds a place of the server on a lease, which is renewed until the flow leaves. If the lease can't be renewed in
// time, or another process has the place, the flow is evicted (G9). Entries by a Rate have no lease.
//
// The guards start no goroutine and ask no clock but their [Clock], so that they can be tested in virtual time.
package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Clock is a monotonic clock.
type Clock interface {
	// Now returns the time since an arbitrary start.
	Now() time.Duration
	// After calls f once, after d, on any goroutine. stop prevents that, unless it comes too late.
	After(d time.Duration, f func()) (stop func())
}

// Places is a number of places at a server. Each process may take some of them.
type Places interface {
	// Acquire asks for a place. It calls done once, not inside of Acquire: with the place, with [ErrTaken] if no place
	// is free and wait is false, with the error of ctx if ctx ends first, or with another error if there is no sense in
	// asking again. If wait is true it waits for a place. When the connection breaks before the answer has come, Acquire
	// asks again.
	Acquire(ctx context.Context, wait bool, done func(Place, error))
}

// Place is a place that this process has taken. Its methods don't block.
type Place interface {
	// Fence returns a number that is larger for each place that is taken later.
	Fence() uint64
	// Since returns a time by the Clock, not later than the one from which the server counts the lease.
	Since() time.Duration
	// Renew begins the lease anew and calls done once, not inside of Renew: with nil after success, with [ErrLost] if
	// somebody else may have the place by now, and with another error if the outcome isn't known.
	Renew(ctx context.Context, done func(error))
	// Release gives the place back, if this process still has it.
	Release()
}

// Rate is a limit at a server on the number of entries in a period of time.
type Rate interface {
	// Take asks for up to n entries. It calls done once, not inside of Take, with the number that it got. If got is 0,
	// after is the time to wait before asking again. err is the error of ctx if ctx has ended; any other error means that
	// there is no sense in asking again.
	Take(ctx context.Context, n int, done func(got int, after time.Duration, err error))
}

var (
	// ErrTaken means that no place is free.
	ErrTaken = errors.New("all places are taken")
	// ErrLost means that somebody else may have the place.
	ErrLost = errors.New("the place was taken over")
	// ErrExpired is the cause with which a section is evicted if its lease wasn't renewed in time.
	ErrExpired = errors.New("the lease has passed without being renewed")
)

func failed(kind string, err error) error {
	return fault.Wrap(fault.CommError, kind+": the server gives no answer that helps", err)
}

func rejected(kind string) error {
	return fault.New(fault.DefenseRejected, kind+": the queue of this process is full")
}

// lost returns the error for a flow that has lost its place before its section began.
func lost(cause error) error {
	return fault.Wrap(syncx.LeaseLost, "the guard of the section has lost its lease", cause)
}
