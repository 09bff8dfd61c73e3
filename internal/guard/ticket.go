package guard

import (
	"sync"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Ticket is one entry of one step into a guard: it asks for entry, may have to wait, is inside, leaves. The [Section] keeps
// the Ticket for its next entry.
//
//	idle ──Ask──▶ asking ──Enter──────────────▶ inside ──End──▶ idle
//	                │ └─Await─▶ waiting           ▲
//	                │             │               │ Decided
//	                ├────Grant────┴─▶ granted ────┘
//	                └────Refuse───┴─▶ refused ──End──▶ idle
//
// End also leads from the other states to idle, for example when a cancel ends the wait. After that Grant reports false, so
// a guard doesn't have to know about timeouts and cancels. Any goroutine may call Grant and Refuse, even before the step
// has begun to wait. The other exported methods are called on the loop, unless their comments allow more.
//
// The order of locking is: the detector, the guard, Ticket.mu, the machine, the loop.
type Ticket struct {
	key any // identifies the guard; set by Init

	// The loop sets these fields. The detector reads them while the ticket waits or is inside.
	frame   *frame.Frame
	locks   *Locks
	outer   *Ticket // the next ticket further out with which the fiber is inside of a guard
	inside  bool
	watched bool   // the detector was told that the ticket waits
	order   uint64 // number of the wait, in the order in which waits began; the detector's lock guards it
	gen     uint64 // generation of the wait
	wait    frame.Wait

	loop tool.Tool // nil until the first call of Loop
	lock *Lock     // the lock that the ticket is in, or waits for; see Bind

	mu    sync.Mutex // guards state and err from the moment when a guard may have queued the ticket
	state ticketState
	err   error // the reason, if refused

	// Window belongs to the guard. A throttle stores the number of the window in which it has let the ticket in, a breaker
	// the number of its state at that time.
	Window uint64
	// Rank belongs to the guard, which sets it before it queues the ticket. In a Line by rank, higher ranks come first.
	Rank   int64
	extra  int  // its weight beyond 1
	unused bool // the ticket ended before a step of its section had begun

	lease *frame.Lease // nil until the first BeginLease, then kept for other entries
	limit *waitLimit   // nil until the first LimitWait, then kept for other entries

	clock clock            // from when on Outcome measures the time
	watch *frame.Stopwatch // nil until the first section that is timed

	places [2]place // one for each Link; each is guarded by the lock of the guard that owns its Line
}

type ticketState uint8

const (
	ticketIdle ticketState = iota
	ticketAsking
	ticketWaiting // Ticket.wait is open
	ticketGranted // let in, but the loop hasn't noticed yet
	ticketRefused
	ticketInside
)

// Init sets which guard the ticket is for; key is comparable.
func (c *Ticket) Init(key any) {
	c.key = key
	c.wait.ForGuard()
}

// Key returns what identifies the guard that the ticket is for.
func (c *Ticket) Key() any { return c.key }

// Ask begins the ticket of the current step of f.
func (c *Ticket) Ask(f *frame.Frame) {
	c.frame, c.locks = f, locksOf(f.Flow())
	c.unused, c.clock, c.extra = false, none, 0
	if c.limit != nil {
		c.limit.limit = 0
	}
	c.state = ticketAsking
}

// Weigh sets how many places the ticket takes. Without Weigh it takes 1. Call Weigh after Ask, and before Enter of the guard.
func (c *Ticket) Weigh(weight int) { c.extra = weight - 1 }

// Weight returns how many places the ticket takes. A guard may call it on any goroutine.
func (c *Ticket) Weight() int { return c.extra + 1 }

// Value returns the value that the context around the step has for key. A guard calls it from Enter.
func (c *Ticket) Value(key any) any { return c.frame.Value(key) }

// Enter records that the guard has let the ticket in at once.
func (c *Ticket) Enter() {
	c.state = ticketInside
	c.markInside()
}

// markInside begins the section of a ticket that is inside now. The clock may be user code, so it is read last, and
// without c.mu.
func (c *Ticket) markInside() {
	c.inside = true
	c.outer, c.locks.inside = c.locks.inside, c
	if c.clock != none {
		c.startClock()
	}
}

// Await suspends the step until the guard has decided. It reports false if the guard has decided already: then the
// step goes on.
func (c *Ticket) Await() bool {
	c.gen = c.wait.Open(c.frame)
	c.mu.Lock()
	waiting := c.state == ticketAsking
	if waiting {
		c.state = ticketWaiting
	}
	c.mu.Unlock()
	if waiting {
		c.armWaitLimit()
	} else {
		_ = c.wait.Close(c.frame)
	}
	return waiting
}

// Resume ends the wait. Call Decided next.
func (c *Ticket) Resume() { _ = c.wait.Close(c.frame) }

// Decided moves a granted ticket inside and returns nil; for a refused one it returns the error.
func (c *Ticket) Decided() error {
	c.endWaitLimit()
	c.unwatch()
	c.mu.Lock()
	if c.state == ticketRefused {
		defer c.mu.Unlock()
		return c.err
	}
	c.state = ticketInside
	c.mu.Unlock()
	c.markInside()
	return nil
}

// Inside reports whether the step is in its section.
func (c *Ticket) Inside() bool { return c.inside }

// Ending is the method of the guard that has to be called when a ticket ends.
type Ending uint8

const (
	Nothing  Ending = iota
	Leave           // the ticket was let in
	Withdraw        // the ticket was queued, and not let in
)

// End ends the ticket, in any state, and returns which method of the guard the caller has to call.
func (c *Ticket) End() Ending {
	c.unused = !c.inside || c.frame.Barren()
	if c.inside { // state stays ticketInside until the next Ask: Grant does nothing in that state either
		c.inside = false
		if c.clock != none {
			c.watch.Stop(c.frame.Run())
		}
		if c.lease != nil {
			c.lease.End()
		}
		c.locks.inside, c.outer = c.outer, nil // sections are left innermost first
		return Leave
	}
	c.endWaitLimit()
	c.unwatch()
	c.mu.Lock()
	state := c.state
	c.state = ticketIdle
	c.err = nil
	c.mu.Unlock()
	switch state {
	case ticketGranted:
		return Leave
	case ticketWaiting, ticketRefused:
		return Withdraw
	default:
		return Nothing
	}
}

// Unused reports, when Leave is called, whether the section was left before any of its steps had begun.
func (c *Ticket) Unused() bool { return c.unused }

// Abandon ends a ticket whose guard has not returned from a call. The guard may still have the ticket in a queue, so the
// memory of the ticket must not be used for another step. The ticket can't be granted any more, and the detector assumes that
// it will leave.
func (c *Ticket) Abandon() {
	c.End()
	Deadlocks.Lock()
	c.locks = new(Locks)
	Deadlocks.Unlock()
}

// Forget drops the references to the guard's key, the loop and the lock, because the memory of the ticket may lie in a pool
// until the next entry. Call it when the guard doesn't use the ticket any more.
func (c *Ticket) Forget() { c.key, c.loop, c.lock = nil, nil, nil }

// Bind sets the lock that the ticket is in or waits for; nil stands for none. A guard with a Lock calls Bind before it queues
// the ticket.
func (c *Ticket) Bind(l *Lock) { c.lock = l }

// Bound returns the lock that Bind has set; nil if there is none.
func (c *Ticket) Bound() *Lock { return c.lock }

// Timed reports whether the ticket is in a Line whose By is ByWindow.
func (c *Ticket) Timed() bool { return c.places[ByWindow].in != nil }

// Loop returns the loop of the step's run. The first call for each ticket is on that
// loop, later ones may be on any goroutine.
func (c *Ticket) Loop() tool.Tool {
	if c.loop == nil {
		c.loop = c.frame.Run().Tool()
	}
	return c.loop
}

// Path returns the path of the step.
func (c *Ticket) Path() string { return c.frame.Path() }
