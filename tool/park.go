package tool

import (
	"runtime"
	"time"
)

type rest struct {
	wake     <-chan struct{} // gets a token when the other fields are out of date
	busy     bool            // immediates are queued
	armed    bool            // there are timers
	deadline time.Duration   // deadline of the first timer
}

// rest returns whether there is work, or when the first timer is due. While the owner sleeps, an arrival that changes
// the answer puts a token into wake. Only the owner calls it.
func (c *core) rest() rest {
	c.gather(false)
	r := rest{busy: !c.idle()}
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

// park blocks until there may be work, a closing loop takes no registration any more, or done is closed. It may
// return early; its callers look again. The parameter rest is c.rest, or Manual.look for a caller that needn't be the
// owner.
//
// park first lets other goroutines run once: a goroutine that is about to post may be ready to run.
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
		<-r.wake
		return
	}
	select {
	case <-r.wake:
	case <-fire:
	case <-vacant:
	case <-done:
	}
}

// vacant returns a channel that is closed when a closing loop takes no registrations any more. It
// returns nil if the loop isn't closing; a loop that begins to close is woken, and calls vacant again.
func (c *core) vacant() <-chan struct{} {
	if !c.closing.Load() {
		return nil
	}
	return c.host.Drain()
}

func (c *core) after(d time.Duration) <-chan time.Time {
	if c.timer == nil {
		c.timer = time.NewTimer(d)
	} else {
		c.timer.Reset(d)
	}
	return c.timer.C
}
