package guard

import (
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/site"
)

// Lock records which tickets are inside of a section and which wait for it: it is the part of a mutex that the detector
// needs to know.
//
// Until somebody locks the Lock, at most one ticket is inside, none waits, and only the field alone is used: the ticket
// enters and leaves with one compare-and-swap each.
//
//	      EnterAlone                 Lock
//	nil ─────────────▶ the ticket ──────────▶ many
//	 ▲ ◀───────────── LeaveAlone               │ Unlock, if
//	 └─────────────────────────────────────────┘ both lines are empty
//
// Lock moves a ticket in that field to Holders. So both lines are complete while the Lock is locked, and no ticket can enter
// or leave through the field meanwhile.
type Lock struct {
	site.Info // the kind of the guard and where it was made, for reports

	alone atomic.Pointer[Ticket]

	mu      sync.Mutex // guards Queue, Holders and Places
	Queue   Line       // tickets that wait; there is no room for the first of them
	Holders Line       // tickets that have a place; a re-entry has none

	// Never makes the error for a ticket that would wait for ever. It is set before the Lock is used.
	Never func([]Blockage) error

	// Places is how much the tickets inside may weigh together. If it is 0, the detector assumes that each ticket that
	// leaves makes enough room.
	Places int
}

// many is the value of alone while Lock.Queue and Lock.Holders are in use.
var many = new(Ticket)

// Init sets the kind of the lock, and records where the lock was made.
func (l *Lock) Init(kind string) { l.Info = site.Info{Kind: kind, Made: site.Here()} }

// EnterAlone lets c in and reports true if no ticket is inside and the lines aren't in use. Otherwise it does nothing.
func (l *Lock) EnterAlone(c *Ticket) bool { return l.alone.CompareAndSwap(nil, c) }

// LeaveAlone undoes EnterAlone. It reports false, and does nothing, if EnterAlone has not let
// c in, or if the Lock has been locked since.
func (l *Lock) LeaveAlone(c *Ticket) bool { return l.alone.CompareAndSwap(c, nil) }

// Lock locks the Lock: until Unlock the caller may use both lines.
func (l *Lock) Lock() {
	l.mu.Lock()
	for {
		c := l.alone.Load()
		if c == many {
			return
		}
		if !l.alone.CompareAndSwap(c, many) {
			continue // a ticket has just entered or left
		}
		if c != nil {
			l.Holders.Push(c)
		}
		return
	}
}

// Unlock unlocks the Lock. If both lines are empty, tickets enter and leave through alone again.
func (l *Lock) Unlock() {
	if l.Holders.n == 0 && l.Queue.n == 0 {
		l.alone.Store(nil)
	}
	l.mu.Unlock()
}

// weighted reports whether the weights of tickets matter; l is locked.
func (l *Lock) weighted() bool { return l.Places != 0 && (l.Holders.extra != 0 || l.Queue.extra != 0) }

// missing returns how much weight has to leave before c, which is in the queue, can be let in. The heaviest of c and the
// tickets before it counts, because these are let in first. l is locked.
func (l *Lock) missing(c *Ticket) int {
	most := 1
	if l.Queue.extra > 0 {
		most = l.Queue.mostUpTo(c)
	}
	return most - (l.Places - l.Holders.Weight()) // a difference, because the sum could overflow
}
