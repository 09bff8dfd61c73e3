package frame

import "sync"

// Detector finds flows that wait for each other. A strand is stuck if
//
//   - it waits for a lock all of whose holders' strands are stuck, or
//   - a branch that it has forked, or one further in, is stuck.
//
// A stuck strand stays so until a timeout, a cancel or an error elsewhere ends
// a wait. Only a strand that begins to wait can make others stuck, so it is
// then that the detector looks, and nobody who doesn't have to wait pays for it.
//
// Its lock is held from before the claim is queued until the verdict. A strand
// known to wait must pass that lock before it moves again, so all that is said
// of stuck ones was true at one moment, and their frames may be read. Locks are
// looked at one at a time: a holder that leaves meanwhile lets in the first of
// the queue, which is no longer queued and thus counts as one that goes on.
type Detector struct {
	mu    sync.Mutex
	mark  uint64
	nodes []node // what the current search has seen
}

// node is a strand in a search.
type node struct {
	*Locks
	goes bool // it can go on
	from int  // node that leads to it
}

// Deadlocks is the one detector: flows of all runs may wait for each other.
var Deadlocks Detector

// Lock begins what ends with Unlock: queueing a claim, and Check.
func (d *Detector) Lock() { d.mu.Lock() }

// Unlock ends it.
func (d *Detector) Unlock() { d.mu.Unlock() }

// Check notes that c has been queued. It gives the cycle that this closes, the
// wait of c first, or nil. Called between Lock and Unlock.
func (d *Detector) Check(c *Claim) []Blockage {
	c.watched = true
	c.locks.block(c)
	if !d.stuck(c.locks) {
		return nil
	}
	return d.cycle(c.locks)
}

// Drop takes back what Check has noted. Called between Lock and Unlock.
func (d *Detector) Drop(c *Claim) {
	c.watched = false
	c.locks.unblock()
}

// unwatch is Drop for a claim that doesn't wait any more.
func (c *Claim) unwatch() {
	if c.watched {
		Deadlocks.Lock()
		Deadlocks.Drop(c)
		Deadlocks.Unlock()
	}
}

// stuck visits whatever s depends on, then finds who can go on until nobody
// else can.
func (d *Detector) stuck(s *Locks) bool {
	d.begin(s)
	for i := 0; i < len(d.nodes); i++ {
		d.nodes[i].goes = d.visit(i)
		if d.nodes[0].goes {
			return false // by far the most frequent: a holder runs
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range d.nodes {
			if n := &d.nodes[i]; !n.goes && d.goesOn(n.Locks) {
				n.goes, changed = true, true
			}
		}
	}
	return !d.nodes[0].goes
}

// retain is how many nodes the detector keeps memory for.
const retain = 1024

func (d *Detector) begin(s *Locks) {
	d.mark++
	if cap(d.nodes) > retain {
		d.nodes = nil
	}
	d.nodes = d.nodes[:0]
	d.see(s, -1)
}

// see adds s to the search, unless it is there.
func (d *Detector) see(s *Locks, from int) {
	if s.mark != d.mark {
		s.mark, s.at = d.mark, len(d.nodes)
		d.nodes = append(d.nodes, node{Locks: s, from: from})
	}
}

// visit sees what node i depends on, unless it can go on for certain, which it
// reports.
func (d *Detector) visit(i int) bool {
	s := d.nodes[i].Locks
	if s.free() {
		return true
	}
	goes := false
	s.depends(func(o *Locks) bool {
		goes = s.waits != nil && o.free()
		return !goes
	}, func() { goes = true })
	if !goes {
		s.depends(func(o *Locks) bool {
			d.see(o, i)
			return true
		}, func() { goes = true })
	}
	return goes
}

// depends gives the strands that s depends on until yield says no: the holders
// of what it waits for, or those below. gone is called if it doesn't wait any
// more.
func (s *Locks) depends(yield func(*Locks) bool, gone func()) {
	c := s.waits
	if c == nil {
		for o := s.below; o != nil && yield(o); o = o.next {
		}
		return
	}
	l := c.lock
	l.Lock()
	defer l.Unlock()
	if !c.queued() {
		gone()
		return
	}
	for h := l.Holders.head; h != nil && yield(h.locks); h = l.Holders.after(h) {
	}
}

// queued says whether c still waits for its lock, which the caller has locked.
// A step that is being cancelled doesn't.
func (c *Claim) queued() bool {
	if !c.lock.Queue.Has(c) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state == claimAsking || c.state == claimWaiting && c.slot.Valid(c.gen)
}

// goesOn says whether s can go on, given what is known of the others.
func (d *Detector) goesOn(s *Locks) bool {
	some, all, gone := false, true, false
	s.depends(func(o *Locks) bool {
		goes := o.mark != d.mark || d.nodes[o.at].goes
		some = some || goes
		all = all && goes
		return true
	}, func() { gone = true })
	if s.waits != nil {
		return some || gone
	}
	return all
}
