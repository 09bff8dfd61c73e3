package guard

import (
	"testing"

	"pgregory.net/rapid"
)

// naive computes the result of stuck by its definition: it looks for fibers that can go on until it finds no more.
func (s *lockGraph) naive(of *actor) bool {
	goes := make(map[*Locks]bool)
	for changed := true; changed; {
		changed = false
		for _, fiber := range s.fibers {
			if !goes[fiber.locks] && s.goes(fiber, goes) {
				goes[fiber.locks], changed = true, true
			}
		}
	}
	return !goes[of.locks]
}

func (s *lockGraph) goes(fiber *actor, known map[*Locks]bool) bool {
	if c := fiber.locks.waits; c != nil {
		if c.state != ticketAsking {
			return true
		}
		for h := c.lock.Holders.Head(); h != nil; h = c.lock.Holders.after(h) {
			if known[h.locks] {
				return true
			}
		}
		return false
	}
	for _, inner := range fiber.inner {
		if known[inner.locks] == fiber.races {
			return fiber.races
		}
	}
	return !fiber.races || len(fiber.inner) == 0
}

func holds(fiber *actor, l *Lock) bool {
	for h := l.Holders.Head(); h != nil; h = l.Holders.after(h) {
		if h.locks == fiber.locks {
			return true
		}
	}
	return false
}

// The detector's result is that of the definition, also if some fibers are stuck already, or were let in and haven't
// gone on yet.
func TestDetectorAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newLockGraph(t)
		parents := make([]int, rapid.IntRange(2, 12).Draw(t, "fibers"))
		for i := range parents {
			parents[i] = rapid.IntRange(-2, i-1).Draw(t, "parent")
		}
		s.growRaces(func(int) bool { return rapid.Bool().Draw(t, "races") }, parents...)
		anyone := rapid.SampledFrom(s.fibers)
		for range rapid.IntRange(1, 6).Draw(t, "locks") {
			l := s.lock()
			for range rapid.IntRange(1, 4).Draw(t, "holders") {
				if holder := anyone.Draw(t, "holder"); !holds(holder, l) {
					s.enter(holder, l)
				}
			}
		}
		for range rapid.IntRange(1, 16).Draw(t, "waits") {
			fiber, l := anyone.Draw(t, "fiber"), rapid.SampledFrom(s.locks).Draw(t, "lock")
			if len(fiber.inner) > 0 || fiber.locks.waits != nil || holds(fiber, l) {
				continue
			}
			c, stuck := s.wait(fiber, l)
			if want := s.naive(fiber); stuck != want {
				t.Fatalf("stuck is %t, want %t", stuck, want)
			}
			switch rapid.IntRange(0, 5).Draw(t, "then") {
			case 0: // refused
				l.Queue.Remove(c)
				c.locks.unblock()
			case 1: // let in by somebody who left
				c.state = ticketGranted
			}
		}
	})
}

// Many fibers hold a place and wait for a lock whose holder goes on; as many wait for a place. To decide whether one
// of these is stuck, the search visits only one of those that hold a place.
func TestDetectorLooksNoFurtherThanItMust(t *testing.T) {
	const many = 1000
	s := newLockGraph(t)
	places, inner := s.lock(), s.lock()
	s.enter(s.fiber(), inner)
	for range many {
		fiber := s.fiber()
		s.enter(fiber, places)
		if _, stuck := s.wait(fiber, inner); stuck {
			t.Fatal("who is inside is taken for stuck")
		}
	}
	for range many {
		if _, stuck := s.wait(s.fiber(), places); stuck {
			t.Fatal("who queues is taken for stuck")
		}
		if n := len(s.nodes); n > 2 {
			t.Fatalf("%d fibers were looked at", n)
		}
	}
}

// A search visits each wait once, also if none of the fibers can go on.
func TestDetectorLooksOnce(t *testing.T) {
	const many = 1000
	s := newLockGraph(t)
	places, inner := s.lock(), s.lock()
	last := s.fiber()
	s.enter(last, inner)
	for range many {
		fiber := s.fiber()
		s.enter(fiber, places)
		s.wait(fiber, inner)
	}
	if _, stuck := s.wait(last, places); !stuck {
		t.Fatal("the ring isn't found")
	}
	if n := len(s.edges); n != 2*many {
		t.Errorf("%d claims were looked at, want %d", n, 2*many)
	}
}

func TestDetectorForgets(t *testing.T) {
	s := newLockGraph(t)
	l := s.lock()
	s.enter(s.fiber(), l)
	for range 2 * retain { // a chain: each waits for the lock that the one before holds
		fiber := s.fiber()
		s.wait(fiber, l)
		l = s.lock()
		s.enter(fiber, l)
	}
	if n := len(s.nodes); n < 2*retain {
		t.Fatalf("%d fibers were looked at", n)
	}
	wide := s.lock() // and one lock with many inside that wait
	wide.Places = 2 * retain
	for _, fiber := range s.fibers[1:] {
		s.enter(fiber, wide)
	}
	s.waitHeavy(s.fiber(), wide, 2, 0)
	if n := len(s.heavy); n < 2*retain {
		t.Fatalf("%d holders were listed", n)
	}
	s.trim()
	if cap(s.nodes) > retain || cap(s.edges) > retain || cap(s.heavy) > retain {
		t.Errorf("room for %d nodes, %d edges and %d holders is kept", cap(s.nodes), cap(s.edges), cap(s.heavy))
	}
}
