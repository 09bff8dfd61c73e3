package guard

// Line is a queue of tickets, first in first out (Push) or by rank (Insert). Its links are in the tickets, so without
// an index Push allocates nothing. With an index each change takes time logarithmic in the length. The owner of the
// Line guards it with a lock.
type Line struct {
	By         Link
	head, tail *Ticket
	n          int
	extra      int   // the sum of the weights beyond 1, see Ticket.extra
	index      index // holds all tickets from the first Insert or mostUpTo on, until the Line is empty
}

// Link chooses one of the two places of a ticket. A ticket may be in a Line of a Lock and in a Line of another guard at once.
type Link uint8

const (
	ByLock   Link = iota // the queue or the holders of a Lock
	ByWindow             // the queue or the holders of a guard without a Lock, such as a throttle
)

type place struct {
	in         *Line
	prev, next *Ticket
	leaf       *leaf // the leaf of the ticket in an index; nil until the ticket was in an index
}

// Len returns the number of tickets.
func (l *Line) Len() int { return l.n }

// Weight returns the sum of the weights of the tickets.
func (l *Line) Weight() int { return l.n + l.extra }

// Head returns the first ticket, nil if there is none.
func (l *Line) Head() *Ticket { return l.head }

// Tail returns the last ticket, nil if there is none.
func (l *Line) Tail() *Ticket { return l.tail }

// Push appends c, which must not be in a Line by the same link.
func (l *Line) Push(c *Ticket) {
	if l.index.root != nil {
		l.addToIndex(l.tail, c)
	}
	l.link(l.tail, c)
}

// Insert inserts c behind all tickets of the same or a higher rank. c must not be in a Line by
// the same link. Use either Insert or Push for all tickets of a Line.
func (l *Line) Insert(c *Ticket) {
	prev := l.index.place(c.Rank)
	l.addToIndex(prev, c)
	l.link(prev, c)
}

// addToIndex adds c to the index, behind prev, or as the first one if prev is nil.
func (l *Line) addToIndex(prev, c *Ticket) {
	p := &c.places[l.By]
	if p.leaf == nil {
		p.leaf = &leaf{of: c}
	}
	var at *leaf
	if prev != nil {
		at = prev.places[l.By].leaf
	}
	l.index.add(at, p.leaf)
}

// mostUpTo returns the weight of the heaviest among c, which is in the Line, and the tickets before it.
func (l *Line) mostUpTo(c *Ticket) int {
	if l.index.root == nil {
		var prev *Ticket
		for q := l.head; q != nil; prev, q = q, l.after(q) {
			l.addToIndex(prev, q)
		}
	}
	return c.places[l.By].leaf.mostUpTo()
}

func (l *Line) link(prev, c *Ticket) {
	next := l.head
	if prev != nil {
		next = l.after(prev)
	}
	p := &c.places[l.By]
	p.in, p.prev, p.next = l, prev, next
	if prev == nil {
		l.head = c
	} else {
		prev.places[l.By].next = c
	}
	if next == nil {
		l.tail = c
	} else {
		next.places[l.By].prev = c
	}
	l.n++
	l.extra += c.extra
}

// Remove removes c; it reports false if c isn't in this Line.
func (l *Line) Remove(c *Ticket) bool {
	p := c.places[l.By]
	if p.in != l {
		return false
	}
	if l.index.root != nil {
		l.index.remove(p.leaf)
	}
	if p.prev == nil {
		l.head = p.next
	} else {
		p.prev.places[l.By].next = p.next
	}
	if p.next == nil {
		l.tail = p.prev
	} else {
		p.next.places[l.By].prev = p.prev
	}
	c.places[l.By] = place{leaf: p.leaf}
	l.n--
	l.extra -= c.extra
	return true
}

// Has reports whether c is in this Line.
func (l *Line) Has(c *Ticket) bool { return c.places[l.By].in == l }

func (l *Line) after(c *Ticket) *Ticket { return c.places[l.By].next }
