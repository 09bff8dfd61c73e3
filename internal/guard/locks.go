package guard

import "github.com/futoin-go/asyncsteps/internal/frame"

// Locks is what one fiber has to do with guards. A fiber gets its Locks with
// its first ticket and keeps them, empty, for as long as its memory lives. A
// branch has its own, so it inherits nothing (P4).
type Locks struct {
	claims frame.Claims // by which the fiber knows it
	fiber  *frame.Fiber
	inside *Ticket // the innermost that it is inside of; the loop's own

	// What follows is the detector's, under its lock. Fibers that can't go on
	// form a tree, along the forks: a fiber is below the nearest one further
	// out that has Locks.
	waits      *Ticket // in the queue of a lock
	outer      *Locks  // nil unless this fiber, or one below, waits
	below      *Locks  // first of the fibers that are below and linked
	prev, next *Locks  // of those that are below the same
	mark       uint64  // search that has seen it
	at         int     // where, in that search
}

// locksOf gives the Locks of s, and makes them the first time.
func locksOf(s *frame.Fiber) *Locks {
	if c := s.Claims(); c != nil {
		return c.Of.(*Locks)
	}
	l := &Locks{fiber: s}
	l.claims.Of = l
	s.SetClaims(&l.claims)
	return l
}

// free says whether the fiber can go on as far as locks are concerned.
func (s *Locks) free() bool { return s.waits == nil && s.below == nil }

// block notes that s waits with c.
func (s *Locks) block(c *Ticket) {
	s.waits = c
	for ; s.outer == nil; s = s.outer {
		o := stops(s.fiber)
		if o == nil {
			return
		}
		s.outer, s.prev, s.next = o, nil, o.below
		if o.below != nil {
			o.below.prev = s
		}
		o.below = s
	}
}

// stops returns the Locks of the nearest fiber further out that can't go on
// unless s does; nil if there is none.
func stops(s *frame.Fiber) *Locks {
	for s = s.Stops(); s != nil; s = s.Stops() {
		if c := s.Claims(); c != nil {
			return c.Of.(*Locks)
		}
	}
	return nil
}

// unblock is the reverse of block.
func (s *Locks) unblock() {
	s.waits = nil
	for s.outer != nil && s.free() {
		o := s.outer
		if s.prev == nil {
			o.below = s.next
		} else {
			s.prev.next = s.next
		}
		if s.next != nil {
			s.next.prev = s.prev
		}
		s.outer, s.prev, s.next = nil, nil, nil
		s = o
	}
}
