package guard

import "github.com/futoin-go/asyncsteps/fault"

// Grant lets a queued ticket in. It reports false, and the ticket stays as it is, if the step doesn't wait any more, if
// the ticket was decided before, or if a deterministic loop refuses the completion. Any goroutine may call it.
func (c *Ticket) Grant() bool { return c.decide(ticketGranted, nil) }

// Refuse fails a queued ticket with err; if err is nil, with an InternalError. Withdraw of the guard is called for the
// ticket all the same. Refuse reports false as Grant does. Any goroutine may call it.
func (c *Ticket) Refuse(err error) bool {
	if err == nil {
		err = errRefused
	}
	return c.decide(ticketRefused, err)
}

var errRefused = fault.New(fault.InternalError, "a guard refused entry without an error")

func (c *Ticket) decide(state ticketState, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.state == ticketAsking:
	case c.state == ticketWaiting && c.wait.Claim(c.gen):
		c.wait.Complete(nil)
	default:
		return false
	}
	c.state, c.err = state, err
	return true
}
