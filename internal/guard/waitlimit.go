package guard

import (
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// Wrapped is the parameter type of the method Unwrap, by which packages of this module find the guard inside of another
// one. Users can't import the type, so no guard of theirs has that method.
type Wrapped struct{}

// Unwrap returns the guard that g stands for: that of a syncx.MaxWait, otherwise g.
func Unwrap[G any](g G) G {
	if w, ok := any(g).(interface{ Unwrap(as Wrapped) G }); ok {
		if inner := w.Unwrap(Wrapped{}); any(inner) != nil {
			return inner
		}
	}
	return g
}

// waitLimit refuses a ticket that has waited for a time. It stays with the memory of the ticket. The loop of the ticket's run
// owns it.
type waitLimit struct {
	limit  time.Duration // of this entry; 0 if it has none
	passed error         // why the ticket is refused
	fire   func()        // the callback of timer, made once
	timer  tool.Handle
	armed  bool
}

// LimitWait makes the ticket wait no longer than limit, which is above 0: then it is refused with passed. A guard calls it in
// Enter, before it queues the ticket. Of several limits the shortest counts.
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
