package tool

import (
	"math"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/tool/internal/queue"
)

const (
	defaultBurst = 128
	never        = time.Duration(math.MaxInt64)
)

// core is what [Loop] and [Manual] share: the queue behind its lock, one turn, and parking.
// What differs is only whose goroutine takes the turns.
type core struct {
	host  *Host
	burst int
	watch *watchdog // nil: off

	mu      sync.Mutex
	wake    chan struct{} // holds one token when something arrived that a parked goroutine must know; nil until one parks
	queue   *queue.Queue
	until   time.Duration // when the parked goroutine wakes by itself; awake when it isn't parked
	closing bool          // shutdown has begun
	closed  bool          // and come to its end
}

// awake is before every deadline. Deadlines may be negative: a loop from a pool may serve in a synctest bubble, whose
// clock is years behind.
const awake time.Duration = math.MinInt64

func newCore(host *Host, burst int) *core {
	if burst <= 0 {
		burst = defaultBurst
	}
	return &core{host: host, burst: burst, queue: queue.New(), until: awake}
}

// Immediate implements [Tool].
func (c *core) Immediate(fn func()) (Handle, error) {
	if fn == nil {
		return 0, ErrNilFunc
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuses() {
		return 0, ErrShutdown
	}
	c.rouse(awake + 1)
	return Handle(c.queue.Push(fn)), nil
}

// Deferred implements [Tool].
func (c *core) Deferred(d time.Duration, fn func()) (Handle, error) {
	if fn == nil {
		return 0, ErrNilFunc
	}
	if d < 0 {
		return 0, ErrNegativeDelay
	}
	deadline := c.host.Now()
	if deadline > 0 {
		d = min(d, never-deadline)
	}
	deadline += d
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuses() {
		return 0, ErrShutdown
	}
	c.rouse(deadline)
	return Handle(c.queue.Arm(deadline, fn)), nil
}

// Cancel implements [Tool].
func (c *core) Cancel(h Handle) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.Take(queue.Key(h)) != nil
}

// Valid implements [Tool].
func (c *core) Valid(h Handle) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.Valid(queue.Key(h))
}

// Host implements [Tool].
func (c *core) Host() *Host { return c.host }

// refuses says whether new work is turned away: a tenant that lives may still need callbacks to unwind.
func (c *core) refuses() bool { return c.closed || c.closing && c.host.Live() == 0 }

// rouse wakes the parked goroutine if it would sleep past deadline.
func (c *core) rouse(deadline time.Duration) {
	if deadline < c.until {
		c.signal()
	}
}

// waker returns the channel that signal tells. It is made here and not with the loop, so that a loop kept in a pool
// never carries it from one synctest bubble into another.
func (c *core) waker() chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wake == nil {
		c.wake = make(chan struct{}, 1)
	}
	return c.wake
}

func (c *core) signal() {
	c.until = awake
	if c.wake == nil {
		return // nobody has ever parked
	}
	select {
	case c.wake <- struct{}{}:
	default: // a token lies there already
	}
}

// turn runs the immediates that are queued now, then the timers that are due and were armed before, a burst of
// each at most: whatever the callbacks add waits for the next turn, so neither kind starves the other (T1).
// One callback is taken at a time: each may cancel the next. It reports whether any ran.
func (c *core) turn() (worked bool) {
	c.mu.Lock()
	c.until = awake
	mark := c.queue.Mark()
	c.mu.Unlock()
	for range c.burst {
		if !c.call(c.pop(mark)) {
			break
		}
		worked = true
	}
	now, armed := c.clock()
	for range c.burst {
		if !armed || !c.call(c.popDue(now, mark)) {
			break
		}
		worked = true
	}
	return worked
}

func (c *core) pop(mark uint64) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.Pop(mark)
}

func (c *core) popDue(now time.Duration, mark uint64) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.PopDue(now, mark)
}

// clock reads the time if a timer is armed; many turns need none.
func (c *core) clock() (now time.Duration, armed bool) {
	c.mu.Lock()
	armed = c.queue.Armed() > 0
	c.mu.Unlock()
	if armed {
		now = c.host.Now()
	}
	return now, armed
}

// call runs fn, if there is one.
func (c *core) call(fn func()) bool {
	if fn == nil {
		return false
	}
	if c.watch != nil {
		c.watch.begin()
		defer c.watch.end()
	}
	c.host.Call(fn)
	return true
}
