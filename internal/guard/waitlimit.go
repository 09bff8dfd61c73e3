package guard

import (
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// Wrapped is the parameter type of the method Unwrap, by which packages of this module find the guard inside of another
// one. Users can't import the type, so no guard of theirs has that method.
type Wrapped struct{}

// Unwrap returns the guard inside of g if g was made by syncx.MaxWait, otherwise g.
func Unwrap[G any](g G) G {
	if w, ok := any(g).(interface{ Unwrap(as Wrapped) G }); ok {
		if inner := w.Unwrap(Wrapped{}); any(inner) != nil {
			return inner
		}
	}
	return g
}

// waitLimit refuses a ticket that has waited for too long. The memory of the ticket keeps it for other entries. It belongs to
// the loop of the ticket's run.
type waitLimit struct {
	limit  time.Duration // of this entry; 0 if it has none
	passed error         // the error with which the ticket is refused
	fire   func()        // the callback of timer, made once
	timer  tool.Handle
	armed  bool
}

// LimitWait limits the wait of the ticket: when limit, which is above 0, has passed, the ticket is refused with the error
// passed. A guard calls LimitWait in Enter, before it queues the ticket. Of several limits the shortest counts.
func (c *Ticket) LimitWait(limit time.Duration, passed error) {
	c.Loop() // the first call must be on the loop; once the ticket is queued, other goroutines may call Loop
	l := c.limit
	if l == nil {
		l = new(waitLimit)
		l.fire = func() {
			l.armed = false
			c.Refuse(l.passed)
		}
		c.limit = l
	}
	if l.limit == 0 || limit < l.limit {
		l.limit, l.passed = limit, passed
	}
}

// armWaitLimit begins the limit, if there is one, of a ticket that has begun to wait.
func (c *Ticket) armWaitLimit() {
	l := c.limit
	if l == nil || l.limit == 0 {
		return
	}
	timer, err := c.loop.Deferred(l.limit, l.fire)
	if err != nil {
		c.Refuse(err)
		return
	}
	l.timer, l.armed = timer, true
}

func (c *Ticket) endWaitLimit() {
	if l := c.limit; l != nil && l.armed {
		l.armed = false
		c.loop.Cancel(l.timer)
	}
}
