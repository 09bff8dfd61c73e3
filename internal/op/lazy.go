package op

import (
	"context"
	"sync"
	"time"
)

// lazyContext is a context that can be cancelled. It makes the underlying context of package context only when Done or Err is
// called, or Value after cancel.
type lazyContext struct {
	outer context.Context

	mu    sync.Mutex
	made  context.Context // the underlying context; nil until it is needed
	stop  context.CancelCauseFunc
	ended bool // cancel was called
	cause error
}

func (c *lazyContext) cancel(cause error) {
	c.mu.Lock()
	stop := c.stop
	if !c.ended {
		c.ended, c.cause = true, cause
	}
	c.mu.Unlock()
	if stop != nil {
		stop(cause)
	}
}

func (c *lazyContext) context() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.made == nil {
		c.made, c.stop = context.WithCancelCause(c.outer)
		if c.ended {
			c.stop(c.cause)
		}
	}
	return c.made
}

// Deadline implements context.Context.
func (c *lazyContext) Deadline() (time.Time, bool) { return c.outer.Deadline() }

// Done implements context.Context.
func (c *lazyContext) Done() <-chan struct{} { return c.context().Done() }

// Err implements context.Context.
func (c *lazyContext) Err() error { return c.context().Err() }

// Value implements context.Context. If c.made exists or c has ended, it asks c.made: package context calls Value with a key
// of its own to find the nearest context that can be cancelled, which is c.made then.
func (c *lazyContext) Value(key any) any {
	c.mu.Lock()
	ends := c.made != nil || c.ended
	c.mu.Unlock()
	if ends {
		return c.context().Value(key)
	}
	return c.outer.Value(key)
}
