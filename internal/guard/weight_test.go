package guard

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// goesHeavy is goes for locks with weights, by definition: a ticket is let in if it, and each one before it in the queue,
// fits beside the holders that aren't known to go on.
func (s *lockGraph) goesHeavy(fiber *actor, known map[*Locks]bool) bool {
	c := fiber.locks.waits
	if c == nil || c.state != ticketAsking || c.lock.Places == 0 {
		return s.goes(fiber, known)
	}
	stays := 0
	for h := c.lock.Holders.Head(); h != nil; h = c.lock.Holders.after(h) {
		if !known[h.locks] {
			stays += h.Weight()
		}
	}
	for q := c.lock.Queue.Head(); ; q = c.lock.Queue.after(q) {
		if stays+q.Weight() > c.lock.Places {
			return false
		}
		if q == c {
			return true
		}
	}
}

func (s *lockGraph) naiveHeavy(of *actor) bool {
	goes := make(map[*Locks]bool)
	for changed := true; changed; {
		changed = false
		for _, fiber := range s.fibers {
			if !goes[fiber.locks] && s.goesHeavy(fiber, goes) {
				goes[fiber.locks], changed = true, true
			}
		}
	}
	return !goes[of.locks]
}

// With weights, and in queues by rank, the detector's result is that of its definition, and it can name the cycle of a
// new deadlock.
func TestDetectorWithWeights(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		s := newLockGraph(t)
		parents := make([]int, rapid.IntRange(2, 10).Draw(t, "fibers"))
		for i := range parents {
			parents[i] = rapid.IntRange(-2, i-1).Draw(t, "parent")
		}
		s.grow(parents...)
		anyone := rapid.SampledFrom(s.fibers)
		weight := rapid.IntRange(1, 3)
		for range rapid.IntRange(1, 5).Draw(t, "locks") {
			l := s.lock()
			l.Places = rapid.IntRange(3, 6).Draw(t, "places")
			for range rapid.IntRange(1, 4).Draw(t, "holders") {
				holder, w := anyone.Draw(t, "holder"), weight.Draw(t, "weight")
				if !holds(holder, l) && l.Holders.Weight()+w <= l.Places {
					s.enterHeavy(holder, l, w)
				}
			}
		}
		stuckBefore := false
		for range rapid.SampledFrom([]int{3, 12, 40}).Draw(t, "waits") {
			fiber, l := anyone.Draw(t, "fiber"), rapid.SampledFrom(s.locks).Draw(t, "lock")
			w, rank := weight.Draw(t, "weight"), int64(rapid.IntRange(0, 1).Draw(t, "rank"))
			if len(fiber.inner) > 0 || fiber.locks.waits != nil || holds(fiber, l) {
				continue
			}
			if head := l.Queue.Head(); (head == nil || head.Rank < rank) && l.Holders.Weight()+w <= l.Places {
				continue // would be let in
			}
			c, stuck := s.waitHeavy(fiber, l, w, rank)
			if want := s.naiveHeavy(fiber); stuck != want {
				t.Fatalf("stuck is %t, want %t", stuck, want)
			}
			if !stuck {
				continue
			}
			ring := s.cycle(c.locks)
			if !stuckBefore && len(ring) == 0 {
				t.Fatal("the ring isn't found")
			}
			found++
			if rapid.Bool().Draw(t, "refused") {
				l.Queue.Remove(c)
				c.locks.unblock()
			} else {
				stuckBefore = true
			}
		}
	})
	if found == 0 {
		t.Error("no ring was found: the test tests nothing")
	}
}

// If Places of a lock is 0, the detector assumes that each ticket that leaves makes enough room.
func TestDetectorWithoutPlaces(t *testing.T) {
	s := newLockGraph(t)
	waits, wanted := s.holder()
	l := s.lock()
	stuck := s.fiber()
	s.enterHeavy(stuck, l, 2)
	s.wait(stuck, wanted)
	s.enterHeavy(s.fiber(), l, 1) // it leaves
	if _, stuck := s.waitHeavy(waits, l, 3, 0); stuck {
		t.Error("it is taken for stuck")
	}
}

// A Line by rank keeps its tickets in the stable order of their ranks, whatever is taken out.
func TestLineByRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Line
		var want []*Ticket
		for range rapid.IntRange(0, 40).Draw(t, "deeds") {
			if len(want) > 0 && rapid.IntRange(0, 2).Draw(t, "deed") == 0 {
				i := rapid.IntRange(0, len(want)-1).Draw(t, "which")
				if !l.Remove(want[i]) || l.Remove(want[i]) {
					t.Fatal("it is removed once")
				}
				want = slices.Delete(want, i, i+1)
			} else {
				c := &Ticket{Rank: int64(rapid.IntRange(-2, 2).Draw(t, "rank"))}
				c.Weigh(rapid.IntRange(1, 3).Draw(t, "weight"))
				l.Insert(c)
				want = append(want, c)
				slices.SortStableFunc(want, func(a, b *Ticket) int { return int(b.Rank - a.Rank) })
			}
			var got, back []*Ticket
			weight := 0
			for c := l.Head(); c != nil; c = l.after(c) {
				got = append(got, c)
				weight += c.Weight()
			}
			for c := l.Tail(); c != nil; c = c.places[l.By].prev {
				back = append(back, c)
			}
			slices.Reverse(back)
			if !slices.Equal(got, want) || !slices.Equal(back, want) || l.Len() != len(want) || l.Weight() != weight {
				t.Fatalf("got %v, back %v, want %v; %d tickets that weigh %d", got, back, want, l.Len(), l.Weight())
			}
		}
		most := 0
		for _, c := range want {
			most = max(most, c.Weight())
			if got := l.mostUpTo(c); got != most {
				t.Fatalf("the largest weight up to %v is %d, want %d", c, got, most)
			}
		}
		for _, c := range want {
			l.Remove(c)
		}
		if l.index.root != nil {
			t.Fatal("an empty line refers to a ticket")
		}
	})
}

// The largest weight up to a ticket is known also of a Line that is first in first out, whenever it is asked for first.
func TestLineOfWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l Line
		var want []*Ticket
		for range rapid.IntRange(0, 60).Draw(t, "deeds") {
			switch deed := rapid.IntRange(0, 5).Draw(t, "deed"); {
			case deed > 2 || len(want) == 0:
				c := &Ticket{Rank: rapid.Int64().Draw(t, "rank of another guard")}
				c.Weigh(rapid.IntRange(1, 9).Draw(t, "weight"))
				l.Push(c)
				want = append(want, c)
			case deed > 0:
				i := rapid.IntRange(0, len(want)-1).Draw(t, "which")
				l.Remove(want[i])
				want = slices.Delete(want, i, i+1)
			default:
				i, most := rapid.IntRange(0, len(want)-1).Draw(t, "up to"), 0
				for _, c := range want[:i+1] {
					most = max(most, c.Weight())
				}
				if got := l.mostUpTo(want[i]); got != most {
					t.Fatalf("the largest weight up to %d is %d, want %d", i, got, most)
				}
			}
		}
	})
}

// The index of a line stays flat for each of these orders of ranks: no path from the root to a ticket is long.
func TestIndexIsFlat(t *testing.T) {
	const n = 1 << 12
	for name, rank := range map[string]func(i int) int64{
		"rising":  func(i int) int64 { return int64(i) },
		"falling": func(i int) int64 { return int64(-i) },
		"equal":   func(int) int64 { return 0 },
		"middle":  func(i int) int64 { return int64(i%2*2-1) * int64(n-i) },
	} {
		var l Line
		for i := range n {
			l.Insert(&Ticket{Rank: rank(i)})
		}
		deepest := 0
		for c := l.Head(); c != nil; c = l.after(c) {
			depth := 0
			for at := c.places[l.By].leaf; at != nil; at = at.up {
				depth++
			}
			deepest = max(deepest, depth)
		}
		if deepest > 4*12 {
			t.Errorf("%s: %d tickets are %d deep", name, n, deepest)
		}
	}
}
