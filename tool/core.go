package tool

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/tool/internal/queue"
)

const (
	defaultBurst = 128
	never        = time.Duration(math.MaxInt64)
)

// core is what [Loop] and [Manual] share: the queue behind its lock, one turn, and parking.
// What differs is only whose goroutine takes the turns.
//
// Loop and Manual embed it, so it exports nothing: an exported method would be promoted, and with -race the wrapper that
// the compiler makes for an interface's call of a promoted method enters a frame that it never leaves.
type core struct {
	host  *Host
	burst int
	watch *watchdog // nil: off

	timer *time.Timer // of whoever parks; made when first needed

	closing atomic.Bool // shutdown has begun; set under mu

	mu     sync.Mutex
	wake   chan struct{} // holds one token when something arrived that a parked goroutine must know; nil until one parks
	queue  *queue.Queue
	until  time.Duration // when the parked goroutine wakes by itself; awake when it isn't parked
	closed bool          // shutdown has come to its end
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

func (c *core) immediate(fn func()) (Handle, error) {
	if fn == nil {
		return 0, ErrNilFunc
	}
	c.mu.Lock()
	if c.refuses() {
		c.mu.Unlock()
		return 0, ErrShutdown
	}
	c.rouse(awake + 1)
	key := c.queue.Push(fn)
	c.mu.Unlock() // not deferred, as below: it is a tenth of the whole
	return Handle(key), nil
}

func (c *core) deferred(d time.Duration, fn func()) (Handle, error) {
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
	if c.refuses() {
		c.mu.Unlock()
		return 0, ErrShutdown
	}
	c.rouse(deadline)
	key := c.queue.Arm(deadline, fn)
	c.mu.Unlock()
	return Handle(key), nil
}

func (c *core) cancel(h Handle) bool {
	c.mu.Lock()
	fn := c.queue.Take(queue.Key(h))
	c.mu.Unlock()
	return fn != nil
}

func (c *core) valid(h Handle) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue.Valid(queue.Key(h))
}

// refuses says whether new work is turned away: a tenant that lives may still need callbacks to unwind.
func (c *core) refuses() bool { return c.closed || c.closing.Load() && c.host.Live() == 0 }

// rouse wakes the parked goroutine if it would sleep past deadline.
func (c *core) rouse(deadline time.Duration) {
	if deadline < c.until {
		c.signal()
	}
}

// waker returns the channel that signal tells; c.mu is held. It is made here and not with the loop, so that a loop
// kept in a pool never carries it from one synctest bubble into another.
func (c *core) waker() chan struct{} {
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
	w := c.begin()
	for n := min(w.ready, c.burst); w.fn != nil; {
		c.call(w.fn)
		worked = true
		if n--; n == 0 {
			break
		}
		w.fn = c.pop(w.mark)
	}
	if w.armed == 0 {
		return worked // whatever was armed since belongs to the next turn
	}
	now := c.host.Now()
	if now < w.deadline {
		return worked
	}
	for range min(w.armed, c.burst) {
		fn := c.popDue(now, w.mark)
		if fn == nil {
			break
		}
		c.call(fn)
		worked = true
	}
	return worked
}

// work is what a turn finds when it begins. It is all learnt at once, because each look at the queue takes the lock:
// callbacks can only take away from it.
type work struct {
	mark     uint64
	fn       func()        // the first immediate
	ready    int           // immediates, with fn
	armed    int           // timers
	deadline time.Duration // of the first of them
}

func (c *core) begin() (w work) {
	c.mu.Lock()
	c.until = awake
	w.mark = c.queue.Mark()
	w.ready = c.queue.Ready()
	w.fn = c.queue.Pop(w.mark)
	if w.armed = c.queue.Armed(); w.armed > 0 {
		w.deadline, _ = c.queue.Deadline()
	}
	c.mu.Unlock()
	return w
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

// call runs fn.
func (c *core) call(fn func()) {
	if c.watch != nil {
		c.watched(fn)
		return
	}
	c.host.Call(fn)
}

func (c *core) watched(fn func()) {
	c.watch.begin()
	defer c.watch.end()
	c.host.Call(fn)
}
