package tool

import "time"

// next returns how long until there is work, zero if there is some now; ok is false when nothing is queued. From
// this call on an arrival that changes the answer puts a token into wake.
func (c *core) next() (d time.Duration, ok bool) {
	now, _ := c.clock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.queue.Ready() > 0 {
		return 0, true
	}
	deadline, ok := c.queue.Deadline()
	if !ok {
		c.until = never
		return 0, false
	}
	c.until = deadline
	return max(deadline-now, 0), true
}

// park blocks until there may be work, the last tenant of a closing loop is gone, or done is closed. It may return
// early; its callers look again.
func (c *core) park(timer *time.Timer, done <-chan struct{}) {
	wake := c.waker()
	d, ok := c.next()
	if ok && d == 0 {
		return
	}
	var fire <-chan time.Time
	if ok {
		timer.Reset(d)
		defer timer.Stop()
		fire = timer.C
	}
	select {
	case <-wake:
	case <-fire:
	case <-c.vacant():
	case <-done:
	}
}

// vacant is closed when the loop is closing and nobody lives on it; nil, which blocks for ever, while it is open.
// An open loop that begins to close is woken, and comes here again.
func (c *core) vacant() <-chan struct{} {
	c.mu.Lock()
	closing := c.closing
	c.mu.Unlock()
	if !closing {
		return nil
	}
	return c.host.Drain()
}

// newTimer returns a timer that isn't running, for park.
func newTimer() *time.Timer {
	timer := time.NewTimer(never)
	timer.Stop()
	return timer
}
