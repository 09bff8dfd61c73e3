package guard

// Line is a queue of tickets, first in first out (Push) or by rank (Insert). Its links are in
// the tickets, so Push allocates nothing, and removing a ticket from the middle costs as little
// as removing the first. The owner of the Line guards it with a lock.
type Line struct {
	By         Link
	head, tail *Ticket
	n          int
	extra      int    // the weights of its tickets, without 1 for each
	ranks      []rank // of the tickets that Insert has put in, the highest first
}

// Link chooses one of the two places of a ticket: a ticket may be in a lock and in a queue for
// a window of time at once.
type Link uint8

const (
	ByLock   Link = iota // the queue or the holders of a Lock
	ByWindow             // the queue for a window of time
)

// place is where a ticket stands in a Line.
type place struct {
	in         *Line
	prev, next *Ticket
}

// Len is the number of tickets.
func (l *Line) Len() int { return l.n }

// Weight returns the sum of the weights of the tickets.
func (l *Line) Weight() int { return l.n + l.extra }

// Head is the first ticket, nil if there is none.
func (l *Line) Head() *Ticket { return l.head }

// Tail is the last ticket, nil if there is none.
func (l *Line) Tail() *Ticket { return l.tail }

// Push appends c, which must not be in a Line by the same link.
func (l *Line) Push(c *Ticket) {
	c.places[l.By] = place{in: l, prev: l.tail}
	if l.tail == nil {
		l.head = c
	} else {
		l.tail.places[l.By].next = c
	}
	l.tail = c
	l.n++
	l.extra += c.extra
}

// insert puts c behind prev, or at the head if prev is nil.
func (l *Line) insert(prev, c *Ticket) {
	next := l.head
	if prev != nil {
		next = l.after(prev)
	}
	if next == nil {
		l.Push(c)
		return
	}
	c.places[l.By] = place{in: l, prev: prev, next: next}
	next.places[l.By].prev = c
	if prev == nil {
		l.head = c
	} else {
		prev.places[l.By].next = c
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
	if len(l.ranks) > 0 {
		l.unrank(c, p.prev)
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
	c.places[l.By] = place{}
	l.n--
	l.extra -= c.extra
	return true
}

// Has says whether c is in this Line.
func (l *Line) Has(c *Ticket) bool { return c.places[l.By].in == l }

// after returns the ticket behind c.
func (l *Line) after(c *Ticket) *Ticket { return c.places[l.By].next }
