package guard

import (
	"slices"
	"testing"
)

// The reported cycle is the shortest one, even if the search has found a longer one first.
func TestCycleIsTheShortest(t *testing.T) {
	s := newLockGraph(t)
	first, long, far, short := s.fiber(), s.fiber(), s.fiber(), s.fiber()
	wanted, between, held := s.lock(), s.lock(), s.lock()
	s.enter(long, wanted)
	s.enter(short, wanted)
	s.enter(far, between)
	s.enter(first, held)
	s.wait(long, between)
	s.wait(far, held)
	s.wait(short, held)
	if _, stuck := s.wait(first, wanted); !stuck {
		t.Fatal("the cycle isn't found")
	}
	report := s.cycle(first.locks)
	if len(report) != 2 || report[0].Lock != wanted || report[1].Lock != held {
		t.Errorf("%d links, want two: %v", len(report), report)
	}
}

// A fiber that waits for a lock that it holds itself is a cycle of one link.
func TestCycleOfOne(t *testing.T) {
	s := newLockGraph(t)
	self, l := s.holder()
	if _, stuck := s.wait(self, l); !stuck {
		t.Fatal("the cycle isn't found")
	}
	if report := s.cycle(self.locks); len(report) != 1 || report[0].Lock != l {
		t.Errorf("%d links, want one: %v", len(report), report)
	}
}

// A fiber with branches is stuck if a branch is. The report names the locks, and not the parallel step.
func TestCycleThroughAFork(t *testing.T) {
	s := newLockGraph(t)
	forked := s.grow(-1, 0)
	outer, branch, other := forked[0], forked[1], s.fiber()
	held, wanted := s.lock(), s.lock()
	s.enter(outer, held)
	s.enter(other, wanted)
	s.wait(branch, wanted)
	if _, stuck := s.wait(other, held); !stuck {
		t.Fatal("the cycle isn't found")
	}
	report := s.cycle(other.locks)
	if len(report) != 2 || report[0].Lock != held || report[1].Lock != wanted {
		t.Errorf("%d links, want two: %v", len(report), report)
	}
}

// A ticket waits for all heavier ones before it in the queue, not only for the first.
func TestCycleThroughTheQueue(t *testing.T) {
	s := newLockGraph(t)
	light, held := s.holder()
	inside, wanted := s.fiber(), s.lock()
	wanted.Places = 3
	s.enterHeavy(inside, wanted, 1)
	s.waitHeavy(s.fiber(), wanted, 3, 1)
	s.waitHeavy(light, wanted, 1, 0)
	s.wait(inside, held)
	heavy := s.fiber()
	if _, stuck := s.waitHeavy(heavy, wanted, 3, 1); !stuck {
		t.Fatal("the cycle isn't found")
	}
	report := s.cycle(heavy.locks)
	if len(report) != 3 || report[1].Lock != held || !report[2].Queued {
		t.Errorf("%d links, want three of which the last is queued: %v", len(report), report)
	}
}

// If a timeout ends a wait between the search and the report, no cycle is reported.
func TestCycleThatHasEnded(t *testing.T) {
	s := newLockGraph(t)
	a, of := s.holder()
	b, by := s.holder()
	s.wait(a, by)
	c, stuck := s.wait(b, of)
	if !stuck {
		t.Fatal("the cycle isn't found")
	}
	of.Queue.Remove(c)
	if report := s.cycle(a.locks); report != nil {
		t.Errorf("reported is %v", report)
	}
}

// A flow may leave a lock or its queue between the search and the report. Then it isn't named as one that keeps others
// out.
func TestHeldBy(t *testing.T) {
	s := newLockGraph(t)
	l, other := s.lock(), s.lock()
	inside, left, elsewhere, withdrawn := s.fiber(), s.fiber(), s.fiber(), s.fiber()
	s.enter(inside, l)
	s.wait(elsewhere, other)
	before, _ := s.wait(s.fiber(), l)
	gone, _ := s.wait(withdrawn, l)
	l.Queue.Remove(gone)
	c, _ := s.wait(s.fiber(), l)
	for name, test := range map[string]struct {
		by   *Locks
		want *Ticket
	}{
		"inside":                {inside.locks, l.Holders.Head()},
		"before it":             {before.locks, before},
		"has left":              {left.locks, nil},
		"waits elsewhere":       {elsewhere.locks, nil},
		"taken out of the line": {withdrawn.locks, nil},
	} {
		if got := c.heldBy(test.by); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// A ticket depends on all that are inside, and of those before it only on the ones that need more places than itself.
// Room for one of the same weight is room for this one too, once that one has left.
func TestDependsOnHeavierOnes(t *testing.T) {
	s := newLockGraph(t)
	l := s.lock()
	l.Places = 3
	inside, heavy, light, equal := s.fiber(), s.fiber(), s.fiber(), s.fiber()
	s.enterHeavy(inside, l, 2)
	s.waitHeavy(heavy, l, 3, 0)
	s.waitHeavy(light, l, 1, 0)
	s.waitHeavy(equal, l, 2, 0)
	c, _ := s.waitHeavy(s.fiber(), l, 2, 0)
	var got []*Locks
	c.locks.depends(func(on *Locks) bool {
		got = append(got, on)
		return true
	})
	if want := []*Locks{inside.locks, heavy.locks}; !slices.Equal(got, want) {
		t.Errorf("depends on %d fibers, %v, want the one inside and the heavy one, %v", len(got), got, want)
	}
}

// A ticket that was taken out of the queue, or whose step is being left, doesn't count as waiting, though its fiber
// hasn't gone on yet. So nobody who depends on it is stuck.
func TestDetectorSeesWhoIsLetIn(t *testing.T) {
	tests := map[string]func(l *Lock, c *Ticket){
		"taken out of the queue": func(l *Lock, c *Ticket) { l.Queue.Remove(c) },
		"its step is being left": func(_ *Lock, c *Ticket) { c.state = ticketWaiting }, // and its wait isn't open
		"granted":                func(_ *Lock, c *Ticket) { c.state = ticketGranted },
		"refused":                func(_ *Lock, c *Ticket) { c.state = ticketRefused },
		"abandoned":              func(_ *Lock, c *Ticket) { c.Abandon() },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			s := newLockGraph(t)
			a, of := s.holder()
			b, by := s.holder()
			c, _ := s.wait(b, of)
			change(of, c)
			if _, stuck := s.wait(a, by); stuck {
				t.Error("it is taken for stuck")
			}
		})
	}
}

// A guard that hasn't returned from a call may keep the ticket of a flow for ever. The flow counts as one that has left:
// nobody who waits for it is told of a deadlock.
func TestDetectorSeesAbandonedTickets(t *testing.T) {
	s := newLockGraph(t)
	a, of := s.holder()
	b, by := s.holder()
	of.Holders.Head().Abandon()
	s.wait(a, by)
	if _, stuck := s.wait(b, of); stuck {
		t.Error("it is taken for stuck")
	}
}

// If a flow leaves a lock while the search visits the holders, a flow that waits for the lock isn't stuck.
func TestDetectorSeesWhoIsLetOut(t *testing.T) {
	s := newLockGraph(t)
	first, second, waits := s.fiber(), s.fiber(), s.fiber()
	wanted, held := s.lock(), s.lock()
	s.enter(waits, held)
	s.enter(first, wanted)
	s.enter(second, wanted)
	s.wait(first, held)
	s.wait(second, held)
	s.wait(waits, wanted)
	n := node{Locks: waits.locks}
	if o, free := s.look(&n); o != first.locks || free {
		t.Fatalf("the first that is looked at is %v, free is %t", o, free)
	}
	wanted.Holders.Remove(n.held)
	if _, free := s.look(&n); !free {
		t.Error("it is taken for one that can't go on")
	}
}

// A parent is free once its branches have stopped waiting, in any order, and not before.
func TestBranchesStopToWait(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		s := newLockGraph(t)
		forked, l := s.grow(-1, 0, 0, 0), s.lock()
		fork := forked[0]
		s.enter(s.fiber(), l)
		var waiting []*Ticket
		for _, branch := range forked[1:] {
			c, _ := s.wait(branch, l)
			waiting = append(waiting, c)
		}
		for n, i := range order {
			if fork.locks.free() {
				t.Errorf("%v: the fork is free, %d branches wait", order, len(order)-n)
			}
			waiting[i].locks.unblock()
		}
		if !fork.locks.free() {
			t.Errorf("%v: the fork isn't free, though no branch waits", order)
		}
	}
}
