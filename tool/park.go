package tool

import (
	"runtime"
	"time"
)

// rest is what a goroutine has to know that would park.
type rest struct {
	wake     <-chan struct{} // is sent a token when the rest of this is out of date
	busy     bool            // immediates are queued
	armed    bool            // timers are
	deadline time.Duration   // of the first of them
}

// rest tells whether there is work. From this call on an arrival that changes the answer puts a token into wake. It is
// for the owner.
func (c *core) rest() rest {
	c.gather(false)
	r := rest{busy: !c.ready.Empty(&c.entries)}
	c.mu.Lock()
	defer c.mu.Unlock()
	r.wake = c.waker()
	if r.busy {
		return r
	}
	if !c.inbox.Park() {
		r.busy = true
		return r
	}
	c.until = never
	if r.deadline, r.armed = c.queue.Deadline(); r.armed {
		c.until = r.deadline
	}
	return r
}

// park blocks until there may be work, the last registration of a closing loop is gone, or done is closed. It may return
// early; its callers look again. rest is c.rest for who owns the loop.
//
// Whoever is about to post is often ready to run on this very processor: so it is let go first, which costs less than
// to sleep and to be woken.
func (c *core) park(rest func() rest, done <-chan struct{}) {
	runtime.Gosched()
	r := rest()
	if r.busy {
		return
	}
	var fire <-chan time.Time
	if r.armed {
		d := r.deadline - c.host.Now()
		if d <= 0 {
			return
		}
		fire = c.after(d)
		defer c.timer.Stop()
	}
	vacant := c.vacant()
	if fire == nil && vacant == nil && done == nil {
		<-r.wake // a select takes half as long again
		return
	}
	select {
	case <-r.wake:
	case <-fire:
	case <-vacant:
	case <-done:
	}
}

// vacant is closed when the loop is closing and nobody lives on it; nil, which blocks for ever, while it is open.
// An open loop that begins to close is woken, and comes here again.
func (c *core) vacant() <-chan struct{} {
	if !c.closing.Load() {
		return nil
	}
	return c.host.Drain()
}

// after starts the timer.
func (c *core) after(d time.Duration) <-chan time.Time {
	if c.timer == nil {
		c.timer = time.NewTimer(d)
	} else {
		c.timer.Reset(d)
	}
	return c.timer.C
}
