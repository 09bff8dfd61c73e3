package syncx

import (
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/tool"
)

// Guard decides which flows may be inside a section, and when. [Mutex], [Throttle], [TokenBucket],
// [Limiter], [Breaker] and [Adaptive] are guards; a type of your own can be one.
//
// Its methods are called on the loops of the runs, so several goroutines may call them at the same time. They
// must not block. A guard's dynamic type must be comparable, as pointers are: two guards that are
// == are one guard.
//
// The calls for a [Ticket] begin with Enter. If Enter has let the ticket in, Leave follows. If
// Enter has queued the ticket, Leave or Withdraw follows: Leave if [Ticket.Grant] has reported true,
// Withdraw otherwise. After that, and after an error of Enter, the guard must not use the ticket
// any more, because its memory is used again. A panic in Enter counts as an error.
//
// If the guard has a method Learn(*Ticket, Outcome), Learn is called right before Leave, with the outcome of the section:
// [Breaker] and [Adaptive] have such a method. A guard made of others calls their Learn from its own. Leave is called even if
// Learn panics.
//
// If the guard has a method Weigh(weight int) error, [SyncWeighted] accepts the guard. For each weighted section Weigh is
// called right before Enter, with [Ticket.Weight], which is at least 1. An error rejects the ticket. A guard made of others
// calls their Weigh from its own.
//
// If the guard has a method Lease(*Ticket, Lease) (fence uint64), Lease is called right after the ticket is inside, before a
// step of the section begins, on the loop of the run. It isn't called for a [Ticket.Reentry]. The guard may evict the section
// by the [Lease], and fence is the number that [Fence] returns in the section. If Lease panics, the section fails and Leave
// is called.
//
// If the guard has a method Err() error, [Sync] and [SyncWeighted] call Err, and a plan can't be run if Err returns an error.
// For a guard of a [Keyed], Err is called when that guard is made, and an error fails the section.
//
//spec:ftn12 §1.11.3, §2.1 ISync; rule G9
type Guard interface {
	// Enter asks for t to be let in. True: it is inside now. False: the guard
	// has queued it, and decides about it with Grant or Refuse, later or even before
	// Enter returns. An error: it is rejected, which fails the step.
	Enter(t *Ticket) (entered bool, err error)

	// Leave is called when the section of t, which was let in, has been left.
	Leave(t *Ticket)

	// Withdraw is called when t, which was queued, doesn't wait any more and wasn't let in:
	// the guard takes it out of the queue if it is still there.
	Withdraw(t *Ticket)
}

// Ticket is one entry of a step into a guard. The guard may keep it while it is queued or inside, not longer. A guard made of
// others may hand the ticket on to at most one Mutex, Adaptive or Limiter at a time, and, unless that is a Limiter, to at most
// one Throttle, TokenBucket or Breaker.
type Ticket guard.Ticket

func (t *Ticket) ticket() *guard.Ticket { return (*guard.Ticket)(t) }

// Grant lets a queued ticket in: its step goes on, on its loop and not inside of Grant. It does nothing and reports false if
// the ticket was decided already, or if the step doesn't wait any more, for instance because of a timeout or a cancel; then
// the guard may let another ticket in. On a loop that is deterministic only a callback of that loop can let a waiting ticket
// in. Any goroutine may call Grant, also while holding the lock of the guard.
func (t *Ticket) Grant() bool { return t.ticket().Grant() }

// Refuse fails the step of a queued ticket with err; nil stands for an InternalError. Withdraw still follows. Refuse does
// nothing and reports false in the cases in which Grant does. Any goroutine may call it.
func (t *Ticket) Refuse(err error) bool { return t.ticket().Refuse(err) }

// Reentry reports whether the flow of the ticket is inside the same guard already, with a step
// further out. For Enter only.
func (t *Ticket) Reentry() bool { return t.ticket().Again() }

// Loop returns the loop of the ticket's run, for timers: it serves at least as long as the ticket is queued or inside. Call it
// in Enter first; after that any goroutine may call it.
func (t *Ticket) Loop() tool.Tool { return private.Lend(t.ticket().Loop()) }

// Path returns where the step stands in its plan, like step.Scope.Path. For Enter,
// Learn, Leave and Withdraw only.
func (t *Ticket) Path() string { return t.ticket().Path() }
