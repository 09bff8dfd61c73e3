package guard

import "github.com/futoin-go/asyncsteps/internal/frame"

// BeginLease begins the lease of c, which is inside. It is called on the loop.
func (c *Ticket) BeginLease() frame.LeaseRef {
	if c.lease == nil {
		c.lease = new(frame.Lease)
	}
	return c.lease.Begin(c.frame)
}

// LeaseRef is [frame.LeaseRef].
type LeaseRef = frame.LeaseRef
