package frame

import (
	"testing"

	"pgregory.net/rapid"
)

// scene is what a detector looks at, without runs: strands that hold locks,
// wait for them, and have forked others.
type scene struct {
	Detector
	strands []*Strand
	locks   []*Lock
}

func (s *scene) strand(parent *Strand) *Strand {
	child := &Strand{parent: parent}
	child.locks = &Locks{strand: child}
	s.strands = append(s.strands, child)
	return child
}

func (s *scene) lock() *Lock {
	s.locks = append(s.locks, new(Lock))
	return s.locks[len(s.locks)-1]
}

// enter puts strand into l.
func (s *scene) enter(strand *Strand, l *Lock) {
	l.Holders.Push(&Claim{locks: strand.locks, lock: l, state: claimInside})
}

// wait queues strand for l and says whether it is stuck then.
func (s *scene) wait(strand *Strand, l *Lock) (c *Claim, stuck bool) {
	c = &Claim{locks: strand.locks, lock: l, state: claimAsking}
	l.Queue.Push(c)
	c.locks.block(c)
	return c, s.stuck(c.locks)
}

// naive is what stuck should say, by its definition: all strands that can go on
// are found by asking each of them until nothing changes.
func (s *scene) naive(of *Strand) bool {
	goes := make(map[*Strand]bool)
	for changed := true; changed; {
		changed = false
		for _, strand := range s.strands {
			if !goes[strand] && s.goes(strand, goes) {
				goes[strand], changed = true, true
			}
		}
	}
	return !goes[of]
}

func (s *scene) goes(strand *Strand, known map[*Strand]bool) bool {
	if c := strand.locks.waits; c != nil {
		if c.state != claimAsking {
			return true
		}
		for h := c.lock.Holders.Head(); h != nil; h = c.lock.Holders.after(h) {
			if known[h.locks.strand] {
				return true
			}
		}
		return false
	}
	for _, below := range s.strands {
		if below.parent == strand && !known[below] {
			return false
		}
	}
	return true
}

// holds says whether strand is in l.
func holds(strand *Strand, l *Lock) bool {
	for h := l.Holders.Head(); h != nil; h = l.Holders.after(h) {
		if h.locks.strand == strand {
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
		var s scene
		forked := make(map[*Strand]bool)
		for i := range rapid.IntRange(2, 12).Draw(t, "strands") {
			var parent *Strand
			if p := rapid.IntRange(-2, i-1).Draw(t, "parent"); p >= 0 {
				parent = s.strands[p]
				forked[parent] = true
			}
			s.strand(parent)
		}
		anyone := rapid.SampledFrom(s.strands)
		for range rapid.IntRange(1, 6).Draw(t, "locks") {
			l := s.lock()
			for range rapid.IntRange(1, 4).Draw(t, "holders") {
				if holder := anyone.Draw(t, "holder"); !holds(holder, l) {
					s.enter(holder, l)
				}
			}
		}
		for range rapid.IntRange(1, 16).Draw(t, "waits") {
			strand, l := anyone.Draw(t, "strand"), rapid.SampledFrom(s.locks).Draw(t, "lock")
			if forked[strand] || strand.locks.waits != nil || holds(strand, l) {
				continue
			}
			c, stuck := s.wait(strand, l)
			if want := s.naive(strand); stuck != want {
				t.Fatalf("stuck is %t, want %t", stuck, want)
			}
			switch rapid.IntRange(0, 5).Draw(t, "then") {
			case 0: // refused
				l.Queue.Remove(c)
				c.locks.unblock()
			case 1: // let in by somebody who left
				c.state = claimGranted
			}
		}
	})
}

// Many hold a place and queue for a lock that is held by one who goes on; many
// more queue for a place. Whether one of these is stuck is known after a look at
// one of those inside.
func TestDetectorLooksNoFurtherThanItMust(t *testing.T) {
	const many = 1000
	var s scene
	places, inner := s.lock(), s.lock()
	s.enter(s.strand(nil), inner)
	for range many {
		strand := s.strand(nil)
		s.enter(strand, places)
		if _, stuck := s.wait(strand, inner); stuck {
			t.Fatal("who is inside is taken for stuck")
		}
	}
	for range many {
		if _, stuck := s.wait(s.strand(nil), places); stuck {
			t.Fatal("who queues is taken for stuck")
		}
		if n := len(s.nodes); n > 2 {
			t.Fatalf("%d strands were looked at", n)
		}
	}
}

// A search takes one look at each claim, though none of them can go on.
func TestDetectorLooksOnce(t *testing.T) {
	const many = 1000
	var s scene
	places, inner := s.lock(), s.lock()
	last := s.strand(nil)
	s.enter(last, inner)
	for range many {
		strand := s.strand(nil)
		s.enter(strand, places)
		s.wait(strand, inner)
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
	var s scene
	l := s.lock()
	s.enter(s.strand(nil), l)
	for range 2 * retain { // a chain: each holds what the one before wants
		strand := s.strand(nil)
		s.wait(strand, l)
		l = s.lock()
		s.enter(strand, l)
	}
	if n := len(s.nodes); n < 2*retain {
		t.Fatalf("%d strands were looked at", n)
	}
	free := s.lock()
	s.enter(s.strand(nil), free)
	s.wait(s.strand(nil), free)
	if cap(s.nodes) > retain || cap(s.edges) > retain {
		t.Errorf("room for %d nodes and %d edges is kept", cap(s.nodes), cap(s.edges))
	}
}
