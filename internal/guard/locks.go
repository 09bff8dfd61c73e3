package guard

import "github.com/futoin-go/asyncsteps/internal/frame"

// Locks are the relations of one fiber to guards. A fiber gets its Locks with its first ticket
// and keeps them, empty, as long as its memory exists. A branch has its own, so it inherits
// nothing (P4).
type Locks struct {
	claims frame.Claims // refers to this; the fiber has a pointer to it
	fiber  *frame.Fiber
	inside *Ticket // the innermost ticket that is inside; used on the loop only

	// The detector's lock guards the fields below. Fibers that can't go on form a tree along
	// the forks: a fiber is below the nearest fiber outwards that has Locks.
	waits      *Ticket // the ticket that is in the queue of a lock
	outer      *Locks  // nil unless this fiber, or one below, waits
	below      *Locks  // first of the fibers below that are in the tree
	prev, next *Locks  // neighbours below the same fiber
	mark       uint64  // the last search that has visited it
	at         int     // its node in that search
}

// locksOf returns the Locks of s, and makes them at the first call.
func locksOf(s *frame.Fiber) *Locks {
	if c := s.Claims(); c != nil {
		return c.Of.(*Locks)
	}
	l := &Locks{fiber: s}
	l.claims.Of = l
	s.SetClaims(&l.claims)
	return l
}

// free reports whether the fiber can go on as far as locks are concerned.
func (s *Locks) free() bool { return s.waits == nil && s.below == nil }

// block records that s waits with c.
func (s *Locks) block(c *Ticket) {
	s.waits = c
	run := s.fiber.Run()
	for ; s.outer == nil; s = s.outer {
		o := stops(s.fiber, run)
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

// stops returns the Locks of the nearest fiber outwards that can't go on before s does; nil if
// there is none. run is the one that begins to wait. The main fiber of a part gets Locks for
// that, so that Cut finds what leads out of the part.
func stops(s *frame.Fiber, run *frame.Run) *Locks {
	for s = s.Stops(run); s != nil; s = s.Stops(run) {
		if s.Claims() != nil || s.IsPart(run) {
			return locksOf(s)
		}
	}
	return nil
}

// unblock undoes block.
func (s *Locks) unblock() {
	s.waits = nil
	s.prune()
}

// prune takes s, and the fibers outwards, out of the tree as far as they can go on.
func (s *Locks) prune() {
	for s.outer != nil && s.free() {
		s = s.detach()
	}
}

// detach takes s, and what is below it, off the fiber that it is below, and returns that.
func (s *Locks) detach() *Locks {
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
	return o
}

// Cut implements frame.Claimant.
func (s *Locks) Cut() {
	Deadlocks.Lock()
	defer Deadlocks.Unlock()
	if s.outer != nil {
		s.detach().prune()
	}
}
