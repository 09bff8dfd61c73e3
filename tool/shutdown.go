package tool

import (
	"context"
	"fmt"
	"time"
)

// ShutdownGrace is how long Shutdown goes on waiting after its context has ended and the registrations were told to
// stop.
const ShutdownGrace = 5 * time.Second

func (c *core) close() {
	c.host.Drain() // from here on the host accepts only registrations that a registered run asks for
	c.markClosing()
}

// closeWith is close for a loop of a [Group], whose loops drain into d together.
func (c *core) closeWith(d *drain) {
	c.host.drainWith(d)
	c.markClosing()
}

func (c *core) markClosing() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing.Store(true)
	c.signal()
}

// over ends a closing loop once it is vacant and the immediates have run, and reports whether the loop has
// ended. Only the owner calls it.
func (c *core) over() bool {
	if !c.closing.Load() {
		return false // the usual case, which needs no lock
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed && c.host.vacant() && c.idle() && c.inbox.Close() {
		c.closed = true
		c.queue.Clear()
		c.count()
	}
	return c.closed
}

// shutdown is the part of a Shutdown after close. It waits while ctx lasts, then tells the registrations to stop,
// then waits for at most ShutdownGrace. ended waits for the end of the loop or of a context, and reports whether
// the loop has ended.
func (c *core) shutdown(ctx context.Context, ended func(context.Context) bool) error {
	if ended(ctx) {
		return nil
	}
	cause := fmt.Errorf("%w: %w", ErrShutdown, context.Cause(ctx))
	cut := c.host.Live() > 0 // true also if another Shutdown has told the registrations to stop
	cut = c.host.Stop(cause) > 0 || cut
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), ShutdownGrace)
	defer cancel()
	switch {
	case !ended(grace):
		return fmt.Errorf("%w: %w", ErrStuck, cause)
	case cut:
		return cause
	default:
		return nil
	}
}
