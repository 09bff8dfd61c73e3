package syncx

import (
	"math"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/internal/clock"
	"github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// TokenBucket bounds the rate at which a section is entered: a bucket holds tokens, each entry takes one, and new ones come
// at a steady rate until the bucket is full. It is full at the beginning. Entries that find it empty wait for their token,
// first come, first served, unless [TokenBucket.ByPriority] sets another order. At most burst entries are made at once, and
// in the long run as many as the rate allows; a [Throttle] lets a whole window's entries in at once. If a timer fires late,
// by up to ten milliseconds, the entries whose tokens have come in that time are let in together.
//
// Leaving gives nothing back. A flow that is inside and enters again takes a token, and waits for it, like any other. Only
// an entry whose section is left before a step of it has begun gives its token back.
//
// A TokenBucket is safe for concurrent use, by runs on any loops. Its time is that of
// the loops that use it: virtual on a virtual loop. It must not be copied. The zero
// TokenBucket isn't well formed: use [NewTokenBucket].
//
//spec:ftn12 §1.11.3; rule G7
type TokenBucket struct {
	bad  error
	fire func()      // expire, bound once
	by   *priorities // nil: first come, first served

	mu       sync.Mutex
	filling  filling
	maxQueue int
	full     error
	clock    clock.Shared
	filled   span // when the bucket will be full, by clock
	queue    guard.Line
	holders  guard.Line // the tickets that are inside
	loop     tool.Tool  // the loop on which the timer was set
	timer    tool.Handle
	armed    bool
}

// NewTokenBucket makes a full TokenBucket of burst tokens, to which rate tokens per
// period are added. Of the entries that have to wait it queues at most maxQueue: more
// are rejected at once, with fault.DefenseRejected. A maxQueue of 0 rejects every entry
// that can't be made at once, one below zero doesn't limit the queue.
//
// With a rate or a burst below 1, a period that isn't positive, or tokens that take longer than 146 years each, the
// TokenBucket isn't well formed: plans that use it can't be run, see [TokenBucket.Err]. A larger burst than the tokens that
// come in 146 years is lowered to that number.
//
//spec:ftn12 §1.11.6
func NewTokenBucket(rate int, period time.Duration, burst, maxQueue int) *TokenBucket {
	b := &TokenBucket{filled: span{whole: math.MinInt64}}
	b.fire = b.expire
	b.queue.By, b.holders.By = guard.ByWindow, guard.ByWindow
	b.setQueue(maxQueue)
	b.filling, b.bad = newFilling(rate, period, burst)
	return b
}

var errNoBucket = invalid("token bucket: not made by NewTokenBucket")

// Err returns nil if the TokenBucket is well formed, otherwise a fault.InvalidRequest.
func (b *TokenBucket) Err() error {
	if b == nil || b.fire == nil {
		return errNoBucket
	}
	return b.bad
}

// Inside returns the number of entries that haven't left yet. Any goroutine may call it.
func (b *TokenBucket) Inside() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.holders.Len()
}

// Queued returns the number of entries that wait now. Any goroutine may call it.
func (b *TokenBucket) Queued() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.queue.Len()
}

// Enter implements [Guard]. It fails with fault.DefenseRejected if the entry would have to wait and the queue is full,
// unless it takes the place of another one, see [TokenBucket.ByPriority]; with fault.InvalidRequest if the section weighs
// more than the capacity, or the TokenBucket isn't well formed; and with fault.InternalError for a ticket that a throttle,
// token bucket or breaker holds, inside or in its queue. A re-entry, which a breaker doesn't count, isn't noticed.
func (b *TokenBucket) Enter(t *Ticket) (entered bool, err error) {
	if err := b.Err(); err != nil {
		return false, err
	}
	c := t.ticket()
	if c.Timed() {
		return false, errTwoWindows
	}
	if err := admissible(b, c); err != nil {
		return false, err
	}
	rank(b.by, c)
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now(host(c))
	switch {
	case first(b.by, &b.queue, c) && b.take(now, now, c):
		b.holders.Push(c)
		return true, nil
	case b.maxQueue >= 0 && b.queue.Len() >= b.maxQueue && !displace(b.by, &b.queue, c, b.full):
		return false, b.full
	}
	push(b.by, &b.queue, c)
	if b.queue.Head() == c {
		b.disarm() // the timer was set for another ticket
	}
	b.arm()
	return false, nil
}

// take takes the tokens that c needs, and reports whether they were there. Tokens that have come after since count even if
// the bucket was full.
func (b *TokenBucket) take(since, now time.Duration, c *guard.Ticket) bool {
	from := b.filled
	if from.whole < since {
		from = span{whole: since}
	}
	after := from.plus(b.filling.spanOf(c.Weight()), b.filling.rate)
	if b.wait(after, now) > 0 {
		return false
	}
	b.filled = after
	return true
}

// wait returns how long it takes until the bucket has the tokens for an entry, rounded up to a nanosecond. after is the
// time when the bucket will be full again if the entry takes them.
func (b *TokenBucket) wait(after span, now time.Duration) time.Duration {
	wait := after.whole - now - b.filling.room.whole
	if after.part > b.filling.room.part {
		wait++
	}
	return wait
}

func (b *TokenBucket) setQueue(maxQueue int) {
	b.maxQueue, b.full = maxQueue, rejected("Throttle queue limit", "token bucket", maxQueue)
}

func (b *TokenBucket) giveBack(c *guard.Ticket) {
	b.filled = b.filled.minus(b.filling.spanOf(c.Weight()), b.filling.rate)
}

func (b *TokenBucket) expire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.armed && !b.loop.Valid(b.timer) {
		b.armed = false // otherwise this is a former timer, cancelled too late
	}
	b.admit()
}

// lateness is how late a timer may fire without a loss of tokens. Without this bound a loop that was held up for long would
// let many entries in at once.
const lateness = 10 * time.Millisecond

func (b *TokenBucket) admit() {
	for first := b.queue.Head(); first != nil; first = b.queue.Head() {
		now := b.clock.Now(host(first))
		switch {
		case first.Weight() > b.filling.burst: // SetLimits has made it too heavy
			b.queue.Remove(first)
			first.Refuse(overweight(first.Weight(), b.filling.burst))
			continue
		case !b.take(now-lateness, now, first):
			b.arm()
			return
		}
		b.queue.Remove(first)
		if first.Grant() {
			b.holders.Push(first)
		} else {
			b.giveBack(first)
		}
	}
	b.arm()
}

// arm sets a timer for the tokens of the first entry that waits, if any. The timer is on the loop of that entry.
func (b *TokenBucket) arm() {
	for {
		first := b.queue.Head()
		if first == nil || b.armed && usercode.HostOf(b.loop) != host(first) {
			b.disarm()
		}
		if first == nil || b.armed {
			return
		}
		wait := b.wait(b.filled.plus(b.filling.spanOf(first.Weight()), b.filling.rate), b.clock.Now(host(first)))
		timer, err := first.Loop().Deferred(max(wait, 0), b.fire)
		if err == nil {
			b.loop, b.timer, b.armed = first.Loop(), timer, true
			return
		}
		b.queue.Remove(first) // its loop takes no more work: try the next entry
		first.Refuse(err)
	}
}

func (b *TokenBucket) disarm() {
	if b.armed {
		b.loop.Cancel(b.timer)
		b.armed = false
	}
}

// Leave implements [Guard]. It makes no room for others, unless the ticket's section was left before a step of it had begun.
// It does nothing for a ticket that isn't inside.
func (b *TokenBucket) Leave(t *Ticket) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := t.ticket()
	if b.holders.Remove(c) && c.Unused() {
		b.giveBack(c)
		b.disarm() // the token given back is there before the timer fires
		b.admit()
	}
}

// Withdraw implements [Guard]. For a ticket that isn't queued it does nothing.
func (b *TokenBucket) Withdraw(t *Ticket) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := t.ticket()
	isFirst := b.queue.Head() == c
	if b.queue.Remove(c) {
		if isFirst { // the next one may need fewer tokens
			b.disarm()
			b.admit()
		} else {
			b.arm()
		}
	}
}
