package tool

import (
	"context"
	"fmt"
	"time"
)

// ShutdownGrace is how long Shutdown goes on waiting after its context has ended and the registrations were told to end.
const ShutdownGrace = 5 * time.Second

// close begins the shutdown. Idempotent.
func (c *core) close() {
	c.host.Drain() // first: from here on the number of registrations can only fall
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing.Store(true)
	c.signal()
}

// over ends a closing loop once no registration lives and the immediates are done: pending timers are dropped. It is for
// the owner.
func (c *core) over() bool {
	if !c.closing.Load() {
		return false // nearly always: no lock for that
	}
	c.gather(false)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && c.host.Live() == 0 && c.ready.Empty(&c.entries) && c.inbox.Close() {
		c.closed = true
		c.queue.Clear()
		c.count()
	}
	return c.closed
}

// shutdown is the course of every Shutdown after close: patience while ctx lasts, then telling the registrations
// to end, then the grace. ended waits for the loop's end and says whether that came before its context's.
func (c *core) shutdown(ctx context.Context, ended func(context.Context) bool) error {
	if ended(ctx) {
		return nil
	}
	cause := fmt.Errorf("%w: %w", ErrShutdown, context.Cause(ctx))
	told := c.host.Stop(cause)
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), ShutdownGrace)
	defer cancel()
	switch {
	case !ended(grace):
		return fmt.Errorf("%w: %w", ErrStuck, cause)
	case told > 0:
		return cause
	default:
		return nil
	}
}
