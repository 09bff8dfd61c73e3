package guard

// node is a fiber in a search.
type node struct {
	*Locks
	goes bool // it can go on
	from int  // the node from which the search came here
	open int  // how much of what it depends on must still be found to go on
	last int  // its newest edge, -1 for none

	held *Ticket // the holder that was looked at last, if it waits
	next *Locks  // of those below, to be looked at next
}

// edge says that another node depends on the node that has the edge.
type edge struct {
	to   int
	prev int // edge from the same node, -1 is none
}

// retain is how many nodes, and edges, the detector keeps memory for.
const retain = 1024

// stuck searches, depth first, for a fiber that can go on, and from each such fiber goes back
// to those that can go on because of it. It ends when it is back at s, usually after the first
// holder of the first lock, or when it has visited everything that s depends on. So it visits
// each of those fibers once at most.
func (d *Detector) stuck(s *Locks) bool {
	d.begin(s)
	for i := 0; i >= 0 && !d.nodes[0].goes; {
		n := &d.nodes[i]
		if n.goes {
			i = n.from
			continue
		}
		o, free := n.look()
		switch {
		case free:
			d.release(i)
		case o == nil: // it has seen all
			if n.waits == nil {
				d.release(i)
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

// begin starts a search at s.
func (d *Detector) begin(s *Locks) {
	d.mark++
	if cap(d.nodes) > retain {
		d.nodes = nil
	}
	if cap(d.edges) > retain {
		d.edges = nil
	}
	d.nodes, d.edges = d.nodes[:0], d.edges[:0]
	d.see(s, -1)
}

// see adds s to the search; it reports false if s is in it already.
func (d *Detector) see(s *Locks, from int) bool {
	if s.mark == d.mark {
		return false
	}
	s.mark, s.at = d.mark, len(d.nodes)
	d.nodes = append(d.nodes, node{Locks: s, from: from, open: 1, last: -1, next: s.below})
	return true
}

// depend records that node i depends on node o: if i waits for a lock, it depends on enough of
// those inside to make room, otherwise on all fibers that are below.
func (d *Detector) depend(i, o int) {
	n := &d.nodes[i]
	if n.waits == nil {
		n.open++
	}
	if d.nodes[o].goes {
		d.release(i)
		return
	}
	d.edges = append(d.edges, edge{to: i, prev: d.nodes[o].last})
	d.nodes[o].last = len(d.edges) - 1
}

// release notes that something node i depends on goes on. One that has forked
// also depends on the search having seen all below it.
func (d *Detector) release(i int) {
	n := &d.nodes[i]
	if n.open--; n.open != 0 {
		return
	}
	n.goes = true
	for e := n.last; e >= 0; e = d.edges[e].prev {
		d.release(d.edges[e].to)
	}
}

// look gives the next fiber that n depends on, nil after the last. If that
// one can go on as far as locks are concerned, or n doesn't wait any more, n is
// free.
func (n *node) look() (o *Locks, free bool) {
	c := n.waits
	if c == nil {
		if o = n.next; o != nil {
			n.next = o.next
		}
		return o, false
	}
	l := c.lock
	l.Lock()
	defer l.Unlock()
	h := l.Holders.head
	switch {
	case !c.queued():
		return nil, true
	case n.held != nil && !l.Holders.Has(n.held):
		return nil, true // it was let out by force: somebody else is let in
	case n.held != nil:
		h = l.Holders.after(n.held)
	}
	if h == nil {
		return nil, false
	}
	n.held = h
	return h.locks, h.locks.free()
}
