package guard

import (
	"testing"

	"pgregory.net/rapid"
)

// naive is what stuck should say, by its definition: all fibers that can go on
// are found by asking each of them until nothing changes.
func (s *scene) naive(of *actor) bool {
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

func (s *scene) goes(fiber *actor, known map[*Locks]bool) bool {
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
	for _, below := range s.fibers {
		if below.parent == fiber && !known[below.locks] {
			return false
		}
	}
	return true
}

// holds says whether fiber is in l.
func holds(fiber *actor, l *Lock) bool {
	for h := l.Holders.Head(); h != nil; h = l.Holders.after(h) {
		if h.locks == fiber.locks {
			return true
		}
	}
	return false
}

// The detector finds what its definition says, no more and no less, in any
// state of affairs: also where others are stuck already, as by mutexes that
// allow cycles, or have been let in and don't know it yet.
func TestDetectorAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScene(t)
		parents := make([]int, rapid.IntRange(2, 12).Draw(t, "fibers"))
		for i := range parents {
			parents[i] = rapid.IntRange(-2, i-1).Draw(t, "parent")
		}
		s.grow(parents...)
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
			if len(fiber.below) > 0 || fiber.locks.waits != nil || holds(fiber, l) {
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

// Many hold a place and queue for a lock that is held by one who goes on; many
// more queue for a place. Whether one of these is stuck is known after a look at
// one of those inside.
func TestDetectorLooksNoFurtherThanItMust(t *testing.T) {
	const many = 1000
	s := newScene(t)
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

// A search takes one look at each claim, though none of them can go on.
func TestDetectorLooksOnce(t *testing.T) {
	const many = 1000
	s := newScene(t)
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

// What a search has grown to isn't kept for ever.
func TestDetectorForgets(t *testing.T) {
	s := newScene(t)
	l := s.lock()
	s.enter(s.fiber(), l)
	for range 2 * retain { // a chain: each holds what the one before wants
		fiber := s.fiber()
		s.wait(fiber, l)
		l = s.lock()
		s.enter(fiber, l)
	}
	if n := len(s.nodes); n < 2*retain {
		t.Fatalf("%d fibers were looked at", n)
	}
	free := s.lock()
	s.enter(s.fiber(), free)
	s.wait(s.fiber(), free)
	if cap(s.nodes) > retain || cap(s.edges) > retain {
		t.Errorf("room for %d nodes and %d edges is kept", cap(s.nodes), cap(s.edges))
	}
}
