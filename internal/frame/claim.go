package frame

import (
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/tool"
)

// Claim is what one step has to do with one guard: it asks for entry, may have
// to wait, is inside, leaves. It is embedded in the op, so that claiming
// allocates nothing.
//
//	idle ──Ask──▶ asking ──Enter──────────────▶ inside ──End──▶ idle
//	                │ └─Await─▶ waiting           ▲
//	                │             │               │ Decided
//	                ├────Grant────┴─▶ granted ────┘
//	                └────Refuse───┴─▶ refused ──End──▶ idle
//
// The guard calls Grant and Refuse, on any goroutine, even before the step has
// begun to wait. All else is called on the loop. Whoever changes state first
// wins: after End a Grant reports false. So a guard needs to know nothing of
// timeouts and cancels.
//
// Locks are taken in the order of the detector's, the guard's, Claim.mu,
// Slot.mu, Run.mu, the loop's own.
type Claim struct {
	key any // tells guards apart; set when the op is made

	// The loop's own.
	frame   *Frame
	locks   *Locks
	outer   *Claim // the next further out that the strand is inside of
	inside  bool
	watched bool   // the detector knows that it waits
	gen     uint64 // of the wait
	slot    Slot

	loop tool.Tool // written before a guard queues the claim
	lock *Lock     // that it is in, or waits for; as loop

	mu    sync.Mutex // once a guard may have queued the claim
	state claimState
	err   error // of refused

	// Window is the guard's own: the window of time in which it has let the claim in.
	Window uint64
	unused bool // it ended before a step of its section had begun

	places [2]place // each guarded by the guard whose Line it is
}

type claimState uint8

const (
	claimIdle claimState = iota
	claimAsking
	claimWaiting // in Slot
	claimGranted // and not yet noticed by the loop
	claimRefused
	claimInside
)

// Init says which guard the claims of an op are for; key is comparable.
func (c *Claim) Init(key any) {
	c.key = key
	c.slot.guard = true
}

// Key tells which guard the claim is for.
func (c *Claim) Key() any { return c.key }

// Ask begins the claim of the current step of f.
func (c *Claim) Ask(f *Frame) {
	s := f.strand
	if s.locks == nil {
		s.locks = &Locks{strand: s}
	}
	c.frame, c.locks = f, s.locks
	c.unused = false
	c.state = claimAsking
}

// Enter makes a claim that the guard has let in at once an inside one.
func (c *Claim) Enter() {
	c.state, c.inside = claimInside, true
	c.outer, c.locks.inside = c.locks.inside, c
}

// Await suspends the step until the guard has decided; false if it has.
func (c *Claim) Await() bool {
	c.gen = c.slot.Open(c.frame)
	c.mu.Lock()
	waiting := c.state == claimAsking
	if waiting {
		c.state = claimWaiting
	}
	c.mu.Unlock()
	if !waiting {
		_ = c.slot.Close(c.frame)
	}
	return waiting
}

// Resume ends the wait, after which Decided says how it ended.
func (c *Claim) Resume() { _ = c.slot.Close(c.frame) }

// Decided is nil if the claim is inside now, otherwise why it was refused.
func (c *Claim) Decided() error {
	c.unwatch()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == claimRefused {
		return c.err
	}
	c.Enter()
	return nil
}

// Inside says whether the step is in its section.
func (c *Claim) Inside() bool { return c.inside }

// Ending is what a guard has to be told when a claim ends.
type Ending uint8

const (
	Nothing  Ending = iota
	Leave           // it was let in
	Withdraw        // it was queued, and is not let in any more
)

// End ends the claim, in whatever state it is; the caller tells the guard.
func (c *Claim) End() Ending {
	c.unused = !c.inside || c.frame.bits&barren != 0
	if c.inside { // its state decides nothing any more
		c.inside = false
		c.locks.inside, c.outer = c.outer, nil // sections are left inside out
		return Leave
	}
	c.unwatch()
	c.mu.Lock()
	state := c.state
	c.state = claimIdle
	c.err = nil
	c.mu.Unlock()
	switch state {
	case claimGranted:
		return Leave
	case claimWaiting, claimRefused:
		return Withdraw
	default:
		return Nothing
	}
}

// Unused reports, when Leave is called, that no step of the section has begun: the
// claim was let in, and its flow was cancelled before that.
func (c *Claim) Unused() bool { return c.unused }

// Abandon leaves the claim to a guard that did not return from a call: nobody
// knows in which of its queues the claim still stands, so its memory must not serve
// another step. It isn't granted any more, and to the detector it is one of a flow
// that can go on.
func (c *Claim) Abandon() {
	c.End()
	Deadlocks.Lock()
	c.locks = new(Locks)
	Deadlocks.Unlock()
}

// Forget drops what the claim refers to, once the guard has been told: its
// memory waits in a pool now.
func (c *Claim) Forget() { c.loop, c.lock = nil, nil }

// Grant lets a queued claim in. It reports false if the step doesn't wait any
// more; the claim then isn't inside. Any goroutine.
func (c *Claim) Grant() bool { return c.decide(claimGranted, nil) }

// Refuse fails a queued claim with err; the guard is still told to Withdraw
// it. It reports false if the step doesn't wait any more. Any goroutine.
func (c *Claim) Refuse(err error) bool {
	if err == nil {
		err = errRefused
	}
	return c.decide(claimRefused, err)
}

var errRefused = fault.New(fault.InternalError, "a guard refused entry without an error")

func (c *Claim) decide(state claimState, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.state == claimAsking:
	case c.state == claimWaiting && c.slot.Begin(c.gen):
		c.slot.Commit(nil)
	default:
		return false
	}
	c.state, c.err = state, err
	return true
}

// Again says whether the strand is inside of the same guard already.
func (c *Claim) Again() bool {
	for o := c.locks.inside; o != nil; o = o.outer {
		if o.key == c.key {
			return true
		}
	}
	return false
}

// Holds says whether the strand is inside of l already.
func (c *Claim) Holds(l *Lock) bool {
	for o := c.locks.inside; o != nil; o = o.outer {
		if o.lock == l {
			return true
		}
	}
	return false
}

// Bind says which lock the claim is in or waits for; nil is none.
func (c *Claim) Bind(l *Lock) { c.lock = l }

// Bound is what Bind has said.
func (c *Claim) Bound() *Lock { return c.lock }

// Timed says whether the claim is inside by a window of time, or waits for one.
func (c *Claim) Timed() bool { return c.places[ByWindow].in != nil }

// Loop is the loop of the step's run. The first call of each claim is on that
// loop, later ones on any goroutine.
func (c *Claim) Loop() tool.Tool {
	if c.loop == nil {
		c.loop = c.frame.Run().Tool()
	}
	return c.loop
}

// Path is the path of the step.
func (c *Claim) Path() string { return c.frame.Path() }
