package guard

import "github.com/futoin-go/asyncsteps/internal/frame"

// Locks record which tickets of one fiber are inside of guards, and which one waits. A fiber gets its Locks with its first
// ticket, and keeps them as long as its memory exists. Each branch has Locks of its own, so it inherits nothing (P4); only
// the branch of a shield uses those of the fiber that has forked it. A branch of a race and the race itself also get Locks
// when a ticket inside of the branch waits, and the main fiber of a part when a ticket inside of the part waits. The Locks of
// a race only count its branches that can't go on.
type Locks struct {
	claims frame.Claims // refers to these Locks; the fiber or the race has a pointer to claims
	fiber  *frame.Fiber // nil for a race
	race   *frame.Fork  // nil for a fiber
	inside *Ticket      // the innermost ticket that is inside; used on the loop only

	// The detector's lock guards the fields below. Fibers that can't go on form a tree: the parent of a fiber is the
	// nearest fiber, or race, further out that has Locks.
	waits      *Ticket // the ticket that Check was called for; nil before, and after Drop
	outer      *Locks  // the parent; nil unless this fiber, or an inner one, waits
	inner      *Locks  // the first child
	inners     int     // number of children
	prev, next *Locks  // neighbours among the children of outer
	mark       uint64  // the last search that has visited these Locks
	at         int     // index of their node in that search
	stuck      uint64  // the last search that has found them stuck; set by cycle
}

func locksOf(s *frame.Fiber) *Locks {
	if c := s.Claims(); c != nil {
		return c.Of.(*Locks)
	}
	l := &Locks{fiber: s}
	l.claims.Of = l
	s.SetClaims(&l.claims)
	return l
}

// ofRace is locksOf for a race. The detector is locked.
func ofRace(k *frame.Fork) *Locks {
	if c := k.Claims(); c != nil {
		return c.Of.(*Locks)
	}
	l := &Locks{race: k}
	l.claims.Of = l
	k.SetClaims(&l.claims)
	return l
}

func (s *Locks) free() bool { return s.waits == nil && s.inner == nil }

func (s *Locks) block(c *Ticket) {
	s.waits = c
	for ; s.outer == nil; s = s.outer {
		o := s.stops()
		if o == nil {
			return
		}
		o.inners++
		s.outer, s.prev, s.next = o, nil, o.inner
		if o.inner != nil {
			o.inner.prev = s
		}
		o.inner = s
	}
}

// stops returns the parent of s in the tree; nil if there is none. If s is a branch of a race, the parent is the Locks of the
// race. Otherwise it is the Locks of the nearest outer fiber that can't go on before s does. Fibers without Locks are passed
// over, with two exceptions, which get Locks here: the main fiber of a part, so that Cut can separate the part from the fibers
// outside, and a branch of a race, so that the race can count the branches that can't go on.
func (s *Locks) stops() *Locks {
	if s.race == nil {
		if k := s.fiber.Race(); k != nil {
			return ofRace(k)
		}
	}
	for f := s.outwards(); f != nil; f = f.Stops() {
		if f.Claims() != nil || f.IsPart() || f.Race() != nil {
			return locksOf(f)
		}
	}
	return nil
}

func (s *Locks) outwards() *frame.Fiber {
	if s.race != nil {
		return s.race.Holder()
	}
	return s.fiber.Stops()
}

func (s *Locks) unblock() {
	s.waits = nil
	s.prune()
}

// prune takes s out of the tree if s can go on, then the parent of s if that can go on too, and so on.
func (s *Locks) prune() {
	for s.outer != nil && s.free() {
		s = s.detach()
	}
}

// detach removes s from the children of its parent, and returns the parent.
func (s *Locks) detach() *Locks {
	o := s.outer
	o.inners--
	if s.prev == nil {
		o.inner = s.next
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

// Fewer implements frame.Claimant. If the race can't go on any more, Fewer fails waits of its branches.
func (s *Locks) Fewer() {
	Deadlocks.Lock()
	defer Deadlocks.Unlock()
	if s.inner != nil {
		Deadlocks.refuse(s)
	}
}

// waiting appends to all the tickets with which s, or fibers inside of s, wait. It returns the result.
func (s *Locks) waiting(all []*Ticket) []*Ticket {
	if s.waits != nil {
		return append(all, s.waits)
	}
	for o := s.inner; o != nil; o = o.next {
		all = o.waiting(all)
	}
	return all
}
