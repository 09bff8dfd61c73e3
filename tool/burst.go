package tool

import (
	"runtime/debug"
	"time"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/queue"
)

// turns takes turns until enough of them says so, which it asks before each, or one finds nothing to run. It reports whether
// the last one ran anything. It is for the owner.
//
// A turn runs the immediates that are queued when it begins, then the timers that are due and were armed before, a burst of
// each at most: whatever the callbacks add waits for the next turn, so neither kind starves the other (T1).
// One callback is taken at a time: each may cancel the next.
func (c *core) turns(enough drive.Until) (worked bool) {
	c.left, c.ran, c.due = 0, 1, due{}
	for !c.unbroken(enough) {
	}
	return c.ran > 0
}

// turn takes one turn.
func (c *core) turn() (worked bool) {
	c.due = due{}
	for c.begin(); !c.unbroken(nil); {
	}
	return c.ran > 0
}

// unbroken takes turns, for nil only the one that has begun, until a callback panics, which is reported (T3): it reports
// false then, and goes on where it was when it is called again. So one recover serves many turns.
func (c *core) unbroken(enough drive.Until) (done bool) {
	defer func() {
		if !done { // otherwise there is nothing to recover from
			c.recovered(recover())
		}
	}()
	for {
		for c.left > 0 {
			fn, run := c.ready.Pop(c.mark, &c.entries)
			if fn == nil && run == nil {
				break
			}
			c.run(fn, run)
		}
		c.left = 0
		if c.due.armed > 0 {
			c.fire(c.due)
		}
		if c.ran == 0 || enough == nil || enough.Enough() {
			return true
		}
		c.begin()
	}
}

// begin begins a turn.
func (c *core) begin() {
	if c.entries.Owes() || !c.inbox.Quiet() {
		c.gather(false)
	}
	c.ran, c.left = 0, c.burst
	c.mark = c.ready.Mark()
	if c.armed.Load() != 0 {
		c.due = c.timersDue()
	}
}

// due is the timers that a turn finds when it begins. It is learnt at once, because each look takes the lock: callbacks
// of the turn can only take away from it.
type due struct {
	mark     uint64
	armed    int
	deadline time.Duration // of the first of them
}

func (c *core) timersDue() (d due) {
	c.mu.Lock()
	d.mark = c.queue.Mark()
	if d.armed = c.queue.Armed(); d.armed > 0 {
		d.deadline, _ = c.queue.Deadline()
	}
	c.mu.Unlock()
	return d
}

// fire runs the timers of d that are due by now.
func (c *core) fire(d due) {
	c.due = due{} // whatever was armed since belongs to the next turn
	now := c.host.Now()
	if now < d.deadline {
		return
	}
	c.left = min(d.armed, c.burst)
	for !c.timers(now, d.mark) {
	}
	c.left = 0
}

// timers runs what is due by now, until a callback panics: it reports false then.
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
