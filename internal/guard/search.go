package guard

// node is a fiber, or a race, in a search.
type node struct {
	*Locks
	goes bool // it can go on
	from int  // the node at which the search has found this one; -1 for the first node
	open int  // the node can go on once open is 0 or less; release subtracts from open
	last int  // its newest edge, -1 for none

	held *Ticket // for a lock without weights: the holder that was looked at last; nil before the first
	next *Locks  // the next inner fiber to look at

	// These fields are for a fiber that waits for a lock with weights, once weighed is set.
	weighed          bool
	nextHeavy, heavy int // Detector.heavy[nextHeavy:heavy] are still to be looked at
	weight           int // weight of the flow that was looked at last; 1 in nodes of other kinds
}

// edge leads from a node to another one that depends on it.
type edge struct {
	to     int
	weight int
	prev   int // the previous edge from the same node; -1 if there is none
}

// heavy is a fiber inside of a lock with weights. The search has to find out whether it can go on.
type heavy struct {
	locks  *Locks
	weight int
}

// retain bounds the room that the detector keeps for each of its lists.
const retain = 1024

// stuck reports whether s can't go on. It searches, depth first, for a fiber that can go on, and from each such fiber goes
// back to those that can go on because of it. It ends when s can go on, or when nothing is left to visit. It visits no
// fiber twice.
func (d *Detector) stuck(s *Locks) bool {
	d.begin(s)
	for i := 0; i >= 0 && !d.nodes[0].goes; {
		n := &d.nodes[i]
		if n.goes {
			i = n.from
			continue
		}
		o, free := d.look(n)
		switch {
		case free:
			d.release(i, n.open)
		case o == nil: // n has no further fiber to look at
			if n.forked() {
				d.release(i, 1)
			}
			i = n.from
		case d.see(o, i):
			d.depend(i, o.at)
			i = o.at
		default:
			d.depend(i, o.at)
		}
	}
	return !d.nodes[0].goes
}

func (d *Detector) begin(s *Locks) {
	d.mark++
	clear(d.heavy)
	d.nodes, d.edges, d.heavy = d.nodes[:0], d.edges[:0], d.heavy[:0]
	d.see(s, -1)
}

func (d *Detector) trim() {
	if cap(d.nodes) > retain {
		d.nodes = nil
	}
	if cap(d.edges) > retain {
		d.edges = nil
	}
	if cap(d.heavy) > retain {
		d.heavy = nil
	}
}

// see adds s to the search; it reports false if s is in it already.
func (d *Detector) see(s *Locks, from int) bool {
	if s.mark == d.mark {
		return false
	}
	s.mark, s.at = d.mark, len(d.nodes)
	d.nodes = append(d.nodes, node{Locks: s, from: from, open: 1, last: -1, next: s.inner, weight: 1})
	return true
}

// forked reports whether n depends on all inner fibers.
func (n *node) forked() bool { return n.waits == nil && n.race == nil }

// depend records that node i depends on node o. If i waits for a lock, it depends on enough of those inside to make
// room; if it is a race, on one of the inner fibers; otherwise on all of them.
func (d *Detector) depend(i, o int) {
	n := &d.nodes[i]
	if n.forked() {
		n.open++
	}
	if d.nodes[o].goes {
		d.release(i, n.weight)
		return
	}
	d.edges = append(d.edges, edge{to: i, weight: n.weight, prev: d.nodes[o].last})
	d.nodes[o].last = len(d.edges) - 1
}

// release subtracts weight from the open of node i, because something that i depends on goes on. If i can go on then, so can
// the nodes that depend on it. The open of a node that has forked includes 1 for the end of the list of its inner fibers, so
// that it isn't free before the search has seen all of them.
func (d *Detector) release(i, weight int) {
	n := &d.nodes[i]
	if n.open -= weight; n.open > 0 || n.goes {
		return
	}
	n.goes = true
	for e := n.last; e >= 0; e = d.edges[e].prev {
		d.release(d.edges[e].to, d.edges[e].weight)
	}
}

// look returns the next fiber that n depends on, nil after the last. free is true if n can go on. That is so if the fiber is
// free (see Locks.free), or enough holders with weights are free; if a holder has left meanwhile; if n doesn't wait any more;
// or if n is a race with a branch that doesn't wait.
func (d *Detector) look(n *node) (o *Locks, free bool) {
	c := n.waits
	switch {
	case n.race != nil && n.race.Open() > n.inners:
		return nil, true // a branch of it doesn't wait
	case c == nil:
		if o = n.next; o != nil {
			n.next = o.next
		}
		return o, false
	case n.weighed:
		return d.lookHeavy(n), false
	}
	l := c.lock
	l.Lock()
	defer l.Unlock()
	h := l.Holders.head
	switch {
	case !c.queued():
		return nil, true
	case n.held != nil && !l.Holders.Has(n.held):
		return nil, true // it has left meanwhile, so somebody else is let in
	case n.held != nil:
		h = l.Holders.after(n.held)
	case l.weighted():
		if d.weigh(n, l, c) {
			return nil, true
		}
		return d.lookHeavy(n), false
	}
	if h == nil {
		return nil, false
	}
	n.held = h
	return h.locks, h.locks.free()
}

// weigh sets n.open to the weight that has to leave l before c is let in. Holders that are free count as gone; the others are
// added to d.heavy. weigh reports whether n.open is 0 or less. It looks at all holders under one lock: with weights, a
// holder that leaves between two looks may let nobody in, so that it left is no sign of progress.
func (d *Detector) weigh(n *node, l *Lock, c *Ticket) (free bool) {
	n.weighed, n.nextHeavy = true, len(d.heavy)
	n.open = l.missing(c)
	for h := l.Holders.head; h != nil && n.open > 0; h = l.Holders.after(h) {
		if h.locks.free() {
			n.open -= h.Weight()
		} else {
			d.heavy = append(d.heavy, heavy{h.locks, h.Weight()})
		}
	}
	n.heavy = len(d.heavy)
	return n.open <= 0
}

func (d *Detector) lookHeavy(n *node) *Locks {
	if n.nextHeavy == n.heavy {
		return nil
	}
	h := d.heavy[n.nextHeavy]
	n.nextHeavy++
	n.weight = h.weight
	return h.locks
}
