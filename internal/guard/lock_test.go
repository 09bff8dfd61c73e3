package guard

import (
	"sync"
	"testing"
)

// G2: a ticket that has entered by the fast path is seen as a holder by those that lock, and no other ticket uses the
// fast path until all have left.
func TestLockAlone(t *testing.T) {
	var l Lock
	var a, b Ticket
	if !l.EnterAlone(&a) || l.EnterAlone(&b) {
		t.Fatal("want the first ticket in and the second one not")
	}
	if l.LeaveAlone(&b) {
		t.Error("a ticket left that isn't inside")
	}
	l.Lock()
	if l.Holders.Head() != &a || l.Holders.Len() != 1 {
		t.Error("the ticket isn't among the holders")
	}
	if l.EnterAlone(&b) || l.LeaveAlone(&a) {
		t.Error("a ticket has passed a locked lock")
	}
	l.Queue.Push(&b)
	l.Unlock()
	if l.LeaveAlone(&a) {
		t.Error("left alone, though somebody waits")
	}
	l.Lock()
	l.Queue.Remove(&b)
	l.Unlock()
	if l.EnterAlone(&b) {
		t.Error("entered alone, though somebody is inside")
	}
	l.Lock()
	l.Holders.Remove(&a)
	l.Unlock()
	if !l.EnterAlone(&b) || !l.LeaveAlone(&b) || !l.EnterAlone(&a) {
		t.Error("a free lock isn't entered alone")
	}
}

// G2: tickets on the fast path and tickets that lock exclude each other.
func TestLockAloneExcludes(t *testing.T) {
	var l Lock
	inside := 0 // the race detector, or the count, may see two at the same time
	const each = 2000
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			c := new(Ticket)
			for n := 0; n < each; {
				entered := l.EnterAlone(c)
				if !entered {
					l.Lock()
					if entered = l.Holders.Len() == 0; entered {
						l.Holders.Push(c)
					}
					l.Unlock()
				}
				if !entered {
					continue
				}
				inside++
				n++
				if !l.LeaveAlone(c) {
					l.Lock()
					l.Holders.Remove(c)
					l.Unlock()
				}
			}
		})
	}
	all.Wait()
	if inside != 4*each {
		t.Errorf("%d were inside, want %d", inside, 4*each)
	}
}
