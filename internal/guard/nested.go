package guard

// Again reports whether the flow is inside of the same guard already.
func (c *Ticket) Again() bool {
	for o := c.locks.inside; o != nil; o = o.outer {
		if o.key == c.key {
			return true
		}
	}
	return false
}

// Holds reports whether the flow is inside of l already.
func (c *Ticket) Holds(l *Lock) bool {
	for o := c.locks.inside; o != nil; o = o.outer {
		if o.lock == l {
			return true
		}
	}
	return false
}

// Nested reports whether the flow of a ticket that is inside has also entered the same guard
// with an outer step.
func (c *Ticket) Nested() bool {
	for o := c.outer; o != nil; o = o.outer {
		if o.key == c.key {
			return true
		}
	}
	return false
}
