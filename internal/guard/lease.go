package guard

import "github.com/futoin-go/asyncsteps/internal/frame"

// BeginLease begins the lease of c, which is inside. It is called on the loop.
func (c *Ticket) BeginLease() frame.LeaseRef {
	if c.lease == nil {
		c.lease = new(frame.Lease)
	}
	return c.lease.Begin(c.frame)
}

// LeaseRef stands for one lease of a ticket. It is for packages that may not import frame.
type LeaseRef = frame.LeaseRef
