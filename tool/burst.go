package tool

import (
	"runtime/debug"
	"time"

	"github.com/futoin-go/asyncsteps/internal/queue"
)

// turn runs the immediates that are queued now, then the timers that are due and were armed before, a burst of
// each at most: whatever the callbacks add waits for the next turn, so neither kind starves the other (T1).
// One callback is taken at a time: each may cancel the next. It reports whether any ran. It is for the owner.
func (c *core) turn() (worked bool) {
	if c.entries.Owes() || !c.inbox.Quiet() {
		c.gather(false)
	}
	var due due
	if c.armed.Load() != 0 {
		due = c.due()
	}
	c.ran = 0
	c.left = c.burst
	for mark := c.ready.Mark(); !c.immediates(mark); {
	}
	if due.armed == 0 {
		return c.ran > 0 // whatever was armed since belongs to the next turn
	}
	now := c.host.Now()
	if now < due.deadline {
		return c.ran > 0
	}
	c.left = min(due.armed, c.burst)
	for !c.timers(now, due.mark) {
	}
	return c.ran > 0
}

// due is the timers that a turn finds when it begins. It is learnt at once, because each look takes the lock: callbacks
// of the turn can only take away from it.
type due struct {
	mark     uint64
	armed    int
	deadline time.Duration // of the first of them
}

func (c *core) due() (d due) {
	c.mu.Lock()
	d.mark = c.queue.Mark()
	if d.armed = c.queue.Armed(); d.armed > 0 {
		d.deadline, _ = c.queue.Deadline()
	}
	c.mu.Unlock()
	return d
}

// immediates runs those that are in ready before mark, until the burst is used up. It reports false if one has panicked,
// which is reported (T3): one recover serves the burst.
func (c *core) immediates(mark uint64) (done bool) {
	defer func() {
		if !done { // otherwise there is nothing to recover from
			c.recovered(recover())
		}
	}()
	for c.left > 0 {
		fn, run := c.ready.Pop(mark, &c.entries)
		if fn == nil && run == nil {
			break
		}
		c.run(fn, run)
	}
	return true
}

// timers is immediates for those that are due by now.
func (c *core) timers(now time.Duration, mark uint64) (done bool) {
	defer func() {
		if !done {
			c.recovered(recover())
		}
	}()
	for c.left > 0 {
		fn := c.popDue(now, mark)
		if fn == nil {
			break
		}
		c.run(fn, nil)
	}
	return true
}

func (c *core) popDue(now time.Duration, mark uint64) func() {
	c.mu.Lock()
	defer c.mu.Unlock()
	fn := c.queue.PopDue(now, mark)
	if fn != nil {
		c.count()
	}
	return fn
}

// run calls fn, or takes a turn of run if fn is nil.
func (c *core) run(fn func(), run queue.Runner) {
	c.left--
	c.ran++
	switch {
	case c.watch != nil:
		c.watched(fn, run)
	case fn == nil:
		run.Turn()
	default:
		fn()
	}
}

func (c *core) watched(fn func(), run queue.Runner) {
	c.watch.begin()
	defer c.watch.end()
	if fn == nil {
		run.Turn()
	} else {
		fn()
	}
}

// recovered reports the panic of a callback; v is what recover has given.
func (c *core) recovered(v any) {
	if v != nil {
		c.host.Report(&PanicError{Value: v, Stack: debug.Stack()})
	}
}
