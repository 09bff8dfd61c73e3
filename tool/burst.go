package tool

import (
	"runtime/debug"
	"time"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/queue"
)

// turns takes turns until enough.Enough, which it calls before each turn, returns true, or until a turn finds nothing
// to run. It returns false in the second case. Only the owner calls it.
//
// A turn runs the immediates that are queued when it begins, then the due timers that were armed before
// it began, at most a burst of each. Callbacks that are added meanwhile wait for a later turn, so
// neither kind starves the other (rule T1). Callbacks are taken from the queue one at a time, because
// each may cancel the next.
func (c *core) turns(enough drive.Until) (worked bool) {
	c.left, c.worked, c.due = 0, true, due{}
	for !c.unbroken(enough) {
	}
	return c.worked
}

func (c *core) turn() (worked bool) {
	c.collect()
	for c.beginTurn(); !c.unbroken(nil); {
	}
	return c.worked
}

// unbroken does the work of turns; with a nil enough it only finishes the turn that has begun. It returns true when the
// work is done. If a callback panics, unbroken reports the panic (rule T3) and returns false; called again, it continues
// where it was. So one deferred recover serves many turns.
func (c *core) unbroken(enough drive.Until) (done bool) {
	defer func() {
		if !done { // otherwise there is no panic to recover from
			c.recovered(recover())
		}
	}()
	for {
		for c.left > 0 {
			x := c.ready.Next(c.mark)
			if x == nil {
				break
			}
			e, callback := x.Callback()
			var fn func()
			if callback {
				if fn = c.entries.Take(e); fn == nil { // cancelled
					continue
				}
			}
			c.left--
			c.worked = true
			switch {
			case c.watch != nil:
				c.watched(fn, x.Runner())
			case callback:
				fn()
			default:
				x.Runner().Turn()
			}
		}
		if c.due.armed > 0 {
			c.fire(c.due)
		}
		if !c.worked || enough == nil || enough.Enough() {
			return true
		}
		if !c.inbox.Quiet() || c.armed.Load() != 0 || c.entries.Owes() {
			c.collect()
		}
		c.beginTurn()
	}
}

// beginTurn begins a turn. If there may be something to collect, the caller has called collect before.
func (c *core) beginTurn() {
	c.worked, c.left = false, c.burst
	if !c.starts.Empty() {
		c.starts.Admit(&c.ready)
	}
	c.mark = c.ready.Mark()
}

func (c *core) collect() {
	if !c.inbox.Quiet() || c.entries.Owes() {
		c.gather(false)
	}
	if c.armed.Load() != 0 {
		c.due = c.timersDue()
	}
}

// due tells which timers a turn may run: those that were armed before the turn began. It is made at most once for each turn,
// because making it takes the lock. Callbacks of the turn can remove some of these timers, but not add any.
type due struct {
	mark     uint64
	armed    int
	deadline time.Duration // deadline of the first of these timers
}

func (c *core) timersDue() (d due) {
	c.mu.Lock()
	d.mark = c.queue.Mark()
	d.armed = c.queue.Armed()
	d.deadline, _ = c.queue.Deadline()
	c.mu.Unlock()
	return d
}

func (c *core) fire(d due) {
	c.due = due{} // a turn runs its timers once
	now := c.host.Now()
	if now < d.deadline {
		return
	}
	c.left = min(d.armed, c.burst)
	for !c.timers(now, d.mark) {
	}
}

// timers runs timers that were armed before mark and are due by now, at most c.left. It
// returns false after a panic.
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
		c.left--
		c.worked = true
		if c.watch != nil {
			c.watched(fn, nil)
		} else {
			fn()
		}
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

func (c *core) watched(fn func(), run queue.Runner) {
	c.watch.begin()
	defer c.watch.end()
	if fn == nil {
		run.Turn()
	} else {
		fn()
	}
}

func (c *core) recovered(v any) {
	if v != nil {
		c.host.Report(&PanicError{Value: v, Stack: debug.Stack()})
	}
}
