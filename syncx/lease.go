package syncx

import (
	"context"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
)

// LeaseLost is the code of the error of a section that was evicted: its guard no longer holds what the section relies on,
// for example because another process has taken over a lock. The error wraps the reason that the guard gives.
//
// The steps of the section are cancelled first, with this error as the cause of their
// contexts; handlers inside of the section aren't asked. The guard is left, then handlers
// around the section are asked.
//
//spec:ftn12 §1.11.3; rule G9
const LeaseLost fault.Code = "LeaseLost"

// Lease is the right of a ticket to be inside, which its guard may lose. A guard gets a Lease through its method Lease, see
// [Guard], for each section that isn't a re-entry. The zero Lease belongs to no section.
//
// A guard may keep a Lease after the section has been left; its methods then report false. Any goroutine may call its
// methods, also while it holds the lock of the guard.
//
//spec:ftn12 §1.11.3
type Lease guard.LeaseRef

// Lose evicts the section: the section fails with [LeaseLost], which wraps cause. It fails on its loop, not inside of Lose.
// The guard's Leave follows, as for any other end. Lose reports false if the section has been left, or evicted already;
// even after true the section may end in another way first. A cause of nil is allowed.
func (l Lease) Lose(cause error) bool {
	return guard.LeaseRef(l).Evict(fault.Wrap(LeaseLost, "the guard of the section has lost its lease", cause))
}

// Live reports whether the section is inside and hasn't been evicted.
func (l Lease) Live() bool { return guard.LeaseRef(l).Live() }

// Fence returns the fence of the section that ctx belongs to: a number that is larger for each later holder of the same guard.
// Send it along with what the section writes, so that the receiver can refuse a holder that was stalled and has been replaced:
// its number is smaller. If sections are inside of each other, Fence returns that of the innermost section with a fence;
// without any it returns 0. The guards of this package give none.
//
// The ctx is that of step.Scope.Context or of the body of a step.Await. Any goroutine may call it.
//
//spec:ftn12 §1.11.3
func Fence(ctx context.Context) uint64 { return guard.FenceOf(ctx) }

type lender interface {
	Lease(t *Ticket, l Lease) (fence uint64)
}

func lend(to *guard.Guard, g Guard) {
	if l, ok := g.(lender); ok {
		to.Lease = func(c *guard.Ticket) uint64 { return l.Lease((*Ticket)(c), Lease(c.BeginLease())) }
	}
}
