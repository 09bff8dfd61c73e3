package tool

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/internal/goid"
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/internal/reserve"
)

const (
	defaultBurst = 16
	never        = time.Duration(math.MaxInt64)
)

// core is the common part of [Loop] and [Manual]: the queues of callbacks, turns, and parking. Loop and Manual
// differ in the goroutine that takes the turns.
//
// Loop and Manual embed it, so it exports nothing: an exported method would be promoted, and with -race the compiler's
// wrapper of a promoted method enters a stack frame that it never leaves.
type core struct {
	host  *Host
	burst int
	watch *watchdog // nil: off
	seat  goid.Seat // the seat of the goroutine that owns the loop now

	// Only the owner uses these fields, except timer, which belongs to the goroutine that parks. ready holds the
	// immediates. For the current turn, mark is the end of its immediates in ready, left counts the callbacks of the
	// current kind that it may still run, worked tells whether it has run any, and due tells which timers it may run.
	ready  queue.Ring
	starts queue.Starts // runs that other goroutines have started, beyond those in ready
	mark   uint64
	left   int
	worked bool
	due    due
	timer  *time.Timer // wakes the goroutine that parks; made when first needed

	reserve reserve.Reserve

	entries queue.Entries
	inbox   queue.Inbox // immediates posted by other goroutines

	closing atomic.Bool  // shutdown has begun: the host drains; set under mu
	armed   atomic.Int64 // number of timers in queue; set under mu

	mu     sync.Mutex
	wake   chan struct{} // gets a token when a parked goroutine has to wake; made by waker
	queue  *queue.Queue  // timers
	until  time.Duration // when the parked owner wakes by itself, set by rest; or the constant awake
	closed bool          // the shutdown is complete
}

// awake is before every deadline. Deadlines may be negative: a pooled loop may be used in a synctest bubble, whose
// clock is years behind.
const awake time.Duration = math.MinInt64

func newCore(host *Host, burst int) *core {
	if burst <= 0 {
		burst = defaultBurst
	}
	c := &core{host: host, burst: burst, queue: queue.New(), until: awake}
	c.starts.Limit(burst)
	return c
}

func (c *core) hosted() *Host {
	if c == nil {
		return nil
	}
	return c.host
}

func (c *core) immediate(fn func()) (Handle, error) {
	switch {
	case fn == nil:
		return 0, ErrNilFunc
	case c.refuses():
		return 0, ErrShutdown
	case !c.seat.Sure():
		return c.post(fn)
	}
	return Handle(c.queueHere(fn)), nil
}

// queueHere is immediate for the owner of a loop that takes work.
func (c *core) queueHere(fn func()) uint64 {
	if !c.inbox.Quiet() { // earlier posts of other goroutines run first (T1)
		c.gather(true)
	}
	e := c.entries.Own(fn)
	c.ready.Push(&e.Item)
	return uint64(e.Key())
}

// post is immediate for a goroutine that isn't known to be the owner. Any goroutine may call it.
func (c *core) post(fn func()) (Handle, error) {
	e := c.entries.Shared(fn)
	key := e.Key()
	if !c.push(&e.Item) {
		c.entries.Refused(e)
		return 0, ErrShutdown
	}
	return Handle(key), nil
}

// push queues x. Any goroutine may call it. It reports false if the loop has ended.
func (c *core) push(x *queue.Item) bool {
	wake, ok := c.inbox.Push(x)
	if wake {
		c.mu.Lock()
		c.signal()
		c.mu.Unlock()
	}
	return ok
}

// idle reports whether no immediate waits. It doesn't look into the inbox. Only the owner calls it.
func (c *core) idle() bool { return c.ready.Empty(&c.entries) && c.starts.Empty() }

// gather moves what other goroutines have posted to ready and to starts. If there is nothing, and the inbox is marked as
// that of a sleeping owner, gather removes the mark, sets until to awake and, if tell is true, sends a token to wake. Only
// the owner calls it.
func (c *core) gather(tell bool) {
	c.entries.GiveBack()
	if !c.inbox.Take(&c.ready, &c.starts) {
		return
	}
	c.mu.Lock()
	if tell {
		c.signal()
	}
	c.until = awake
	c.mu.Unlock()
}

func (c *core) deferred(d time.Duration, fn func()) (Handle, error) {
	if fn == nil {
		return 0, ErrNilFunc
	}
	if d < 0 {
		return 0, ErrNegativeDelay
	}
	h, _, err := c.arm(d, fn)
	return Handle(h), err
}

// arm is deferred without the checks of its arguments. It also returns the deadline.
func (c *core) arm(d time.Duration, fn func()) (h uint64, deadline time.Duration, err error) {
	deadline = c.host.Now()
	if deadline > 0 {
		d = min(d, never-deadline)
	}
	deadline += d
	c.mu.Lock()
	if c.closed || c.refuses() {
		c.mu.Unlock()
		return 0, 0, ErrShutdown
	}
	c.rouse(deadline)
	key := c.queue.Arm(deadline, fn)
	c.count()
	c.mu.Unlock()
	return uint64(key), deadline, nil
}

// count publishes the number of timers for the owner; mu is held.
func (c *core) count() { c.armed.Store(int64(c.queue.Armed())) }

func (c *core) cancel(h Handle) bool {
	if queue.Key(h).IsEntry() {
		return c.entries.Cancel(queue.Key(h))
	}
	c.mu.Lock()
	fn := c.queue.Take(queue.Key(h))
	if fn != nil {
		c.count()
	}
	c.mu.Unlock()
	return fn != nil
}

func (c *core) valid(h Handle) bool {
	if queue.Key(h).IsEntry() {
		return c.entries.Valid(queue.Key(h))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.Valid(queue.Key(h))
}

// refuses reports whether new work is refused. A closing loop takes work until its host is vacant: registered runs
// may need callbacks to unwind, or ask for a load. The inbox refuses work once the loop has ended.
func (c *core) refuses() bool { return c.closing.Load() && c.host.vacant() }

// rouse wakes the parked goroutine if it would sleep past deadline.
func (c *core) rouse(deadline time.Duration) {
	if deadline < c.until {
		c.signal()
	}
}

// waker returns the channel on which signal sends; c.mu is held. The channel is made when first needed, so that a pooled
// loop doesn't carry it from one synctest bubble into another.
func (c *core) waker() chan struct{} {
	if c.wake == nil {
		c.wake = make(chan struct{}, 1)
	}
	return c.wake
}

func (c *core) signal() {
	c.until = awake
	if c.wake == nil {
		return
	}
	select {
	case c.wake <- struct{}{}:
	default: // there is a token already
	}
}
