package syncx

import (
	"strconv"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/tool"
)

// Throttle bounds how many times a section is entered in a period of time.
//
// Time is divided into windows of one period each. The first entry opens the first window. At the end of a window, entries
// that wait are let in, first come, first served, unless [Throttle.ByPriority] sets another order, and the next window begins
// without drift. If none waits, the next window begins with the next entry. An entry counts in the window in which it is
// made: leaving gives nothing back. A flow that is inside and enters again counts, and waits, like any other. Only an entry
// whose section is left before a step of it has begun doesn't count.
//
// A Throttle is safe for concurrent use, by runs on any loops. Its time is that of the loops that use it: virtual on a virtual
// loop. It must not be copied. The zero Throttle isn't well formed: use [NewThrottle].
//
//spec:ftn12 §1.11.2, §2.4
type Throttle struct {
	kind string // as given to init
	bad  error
	fire func()      // expire, bound once
	by   *priorities // nil: first come, first served

	mu       sync.Mutex
	max      int
	maxQueue int
	period   time.Duration
	full     error // the error of an entry for which the queue has no room
	queue    guard.Line
	holders  guard.Line // the tickets that are inside

	entered int           // entries made in the window, by weight
	window  uint64        // number of the window
	loop    tool.Tool     // the loop whose clock counts; nil before the first window
	end     time.Duration // end of the window, by that clock
	timer   tool.Handle   // timer for the end, on that loop
	armed   bool
}

// NewThrottle makes a Throttle that allows at most maximum entries per period.
// Of the entries that have to wait it queues at most maxQueue: more are rejected
// at once, with [fault.DefenseRejected]. A maxQueue of 0 rejects every entry that
// can't be made at once, one below zero doesn't limit the queue.
//
// With a maximum below 1 or a period that isn't positive the Throttle isn't well
// formed: plans that use it can't be run, see [Throttle.Err].
//
//spec:ftn12 §1.11.6, §2.4
func NewThrottle(maximum int, period time.Duration, maxQueue int) *Throttle {
	t := new(Throttle)
	t.init("throttle", maximum, period, maxQueue)
	return t
}

func (throttle *Throttle) init(kind string, maximum int, period time.Duration, maxQueue int) {
	throttle.kind = kind
	throttle.setLimits(maximum, period, maxQueue)
	throttle.fire = throttle.expire
	throttle.queue.By, throttle.holders.By = guard.ByWindow, guard.ByWindow
	throttle.bad = badRate(kind, maximum, period)
}

func (throttle *Throttle) setLimits(maximum int, period time.Duration, maxQueue int) {
	throttle.max, throttle.period, throttle.maxQueue = maximum, period, maxQueue
	throttle.full = rejected("Throttle queue limit", throttle.kind, maxQueue)
}

func badRate(kind string, maximum int, period time.Duration) error {
	switch {
	case maximum < 1:
		return invalid(kind + ": the maximum must be at least 1, got " + strconv.Itoa(maximum))
	case period <= 0:
		return invalid(kind + ": the period must be positive, got " + period.String())
	default:
		return nil
	}
}

var errNoThrottle = invalid("throttle: not made by NewThrottle")

// Err returns nil if the Throttle is well formed, otherwise a fault.InvalidRequest.
func (throttle *Throttle) Err() error {
	if throttle == nil || throttle.fire == nil {
		return errNoThrottle
	}
	return throttle.bad
}

// Inside returns the number of entries that haven't left yet. Any goroutine may call it.
func (throttle *Throttle) Inside() int {
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	return throttle.holders.Len()
}

// Queued returns the number of entries that wait now. Any goroutine may call it.
func (throttle *Throttle) Queued() int {
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	return throttle.queue.Len()
}

var errTwoWindows = fault.New(fault.InternalError, "a ticket was handed to two guards that are a throttle, a token bucket or a breaker: use a Sync for each")

// Enter implements [Guard]. It fails with [fault.DefenseRejected] if the entry would have to wait and the queue is full,
// unless it takes the place of another one, see [Throttle.ByPriority]; with fault.InvalidRequest if the section weighs more
// than the capacity, or the Throttle isn't well formed; and with fault.InternalError for a ticket that a throttle, token
// bucket or breaker holds, inside or in its queue. A re-entry, which a breaker doesn't count, isn't noticed.
func (throttle *Throttle) Enter(t *Ticket) (entered bool, err error) {
	if err := throttle.Err(); err != nil {
		return false, err
	}
	c := t.ticket()
	if c.Timed() {
		return false, errTwoWindows
	}
	if err := admissible(throttle, c); err != nil {
		return false, err
	}
	rank(throttle.by, c)
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	switch throttle.ask(c) {
	case inside:
		throttle.enter(c)
		return true, nil
	case full:
		return false, throttle.full
	default:
		throttle.wait(c)
		return false, nil
	}
}

// pass is Enter for a ticket that has waited for the mutex of a Limiter: pass grants, queues or refuses the ticket. It
// reports false if the queue is full or the ticket can't be granted any more.
func (throttle *Throttle) pass(c *guard.Ticket) bool {
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	switch throttle.ask(c) {
	case inside:
		if !c.Grant() {
			return false
		}
		throttle.enter(c)
		return true
	case full:
		c.Refuse(throttle.full)
		return false
	default:
		throttle.wait(c)
		return true
	}
}

func (throttle *Throttle) ask(c *guard.Ticket) answer {
	throttle.roll(c.Loop())
	switch {
	case throttle.fits(c) && first(throttle.by, &throttle.queue, c):
		return inside
	case throttle.maxQueue >= 0 && throttle.queue.Len() >= throttle.maxQueue && !displace(throttle.by, &throttle.queue, c, throttle.full):
		return full
	default:
		return mustWait
	}
}

func (throttle *Throttle) fits(c *guard.Ticket) bool {
	return c.Weight() <= throttle.max-throttle.entered
}

func (throttle *Throttle) enter(c *guard.Ticket) {
	throttle.entered += c.Weight()
	c.Window = throttle.window
	throttle.holders.Push(c)
}

func (throttle *Throttle) wait(c *guard.Ticket) {
	push(throttle.by, &throttle.queue, c)
	throttle.arm()
}

// Leave implements [Guard]. It makes no room for others, unless the ticket's section was left before a step of it had begun:
// then another entry may be made instead, if the window isn't over. Leave does nothing for a ticket that isn't inside.
func (throttle *Throttle) Leave(t *Ticket) {
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	c := t.ticket()
	if !throttle.holders.Remove(c) || !c.Unused() {
		return
	}
	if throttle.queue.Len() > 0 {
		throttle.roll(throttle.loop) // the window may be over
	}
	if c.Window == throttle.window {
		throttle.entered -= c.Weight()
		throttle.admit()
		throttle.arm()
	}
}

// Withdraw implements [Guard]. It does nothing for a ticket that isn't queued.
func (throttle *Throttle) Withdraw(t *Ticket) {
	throttle.mu.Lock()
	defer throttle.mu.Unlock()
	if throttle.queue.Remove(t.ticket()) {
		if throttle.queue.Len() > 0 { // entries behind it may need less of the window, and the window may be over
			throttle.roll(throttle.loop)
			throttle.admit()
		}
		throttle.arm()
	}
}
