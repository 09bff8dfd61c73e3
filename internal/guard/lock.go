package guard

import (
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/frame"
)

// Lock is a section that a bounded number of tickets are inside of: the part of
// a mutex that the detector needs to know.
//
// As a rule nobody is inside, or one ticket and nobody waits. For that case alone
// says it all, and the ticket enters and leaves with one compare-and-swap each:
//
//	      EnterAlone                 Lock
//	nil ─────────────▶ the ticket ──────────▶ many
//	 ▲ ◀───────────── LeaveAlone               │ Unlock, if
//	 └─────────────────────────────────────────┘ both lines are empty
//
// Whoever needs more calls Lock, which moves such a ticket to Holders first. So
// both lines are complete for as long as the Lock is locked, and a ticket can't
// enter or leave meanwhile.
type Lock struct {
	frame.Info // what and where it was made, for reports

	alone atomic.Pointer[Ticket]

	mu      sync.Mutex // guards what follows
	Queue   Line       // waits; empty unless as many as possible are inside
	Holders Line       // is inside, without re-entries
}

// many says that Lock.Queue and Lock.Holders are in use. It is never changed.
var many = new(Ticket)

// Init says what the lock is, which the caller makes.
func (l *Lock) Init(kind string) { l.Info = frame.Info{Kind: kind, Made: frame.Here()} }

// EnterAlone lets c in if nobody is inside. It reports false, and does nothing, if
// somebody may be. Not while the Lock is locked.
func (l *Lock) EnterAlone(c *Ticket) bool { return l.alone.CompareAndSwap(nil, c) }

// LeaveAlone is the reverse. It reports false, and does nothing, if c isn't the one
// that EnterAlone has let in, or if somebody has locked the Lock since.
func (l *Lock) LeaveAlone(c *Ticket) bool { return l.alone.CompareAndSwap(c, nil) }

// Lock makes the lines the caller's until Unlock.
func (l *Lock) Lock() {
	l.mu.Lock()
	for {
		c := l.alone.Load()
		if c == many {
			return
		}
		if !l.alone.CompareAndSwap(c, many) {
			continue // it has just entered or left
		}
		if c != nil {
			l.Holders.Push(c)
		}
		return
	}
}

// Unlock ends what Lock has begun.
func (l *Lock) Unlock() {
	if l.Holders.n == 0 && l.Queue.n == 0 {
		l.alone.Store(nil)
	}
	l.mu.Unlock()
}
