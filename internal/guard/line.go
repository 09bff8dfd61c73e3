package guard

// Line is a queue of tickets, first in first out. Its links are in the tickets,
// so it allocates nothing, and to take a ticket out of the middle costs as
// little as to take the first. Whoever owns the Line guards it with a lock.
type Line struct {
	By         Link
	head, tail *Ticket
	n          int
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

// Head is the ticket that came first, nil if there is none.
func (l *Line) Head() *Ticket { return l.head }

// Push appends c, which stands in no Line by the same link.
func (l *Line) Push(c *Ticket) {
	c.places[l.By] = place{in: l, prev: l.tail}
	if l.tail == nil {
		l.head = c
	} else {
		l.tail.places[l.By].next = c
	}
	l.tail = c
	l.n++
}

// Remove takes c out; it reports false if c isn't in this Line.
func (l *Line) Remove(c *Ticket) bool {
	p := c.places[l.By]
	if p.in != l {
		return false
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
	return true
}

// Has says whether c is in this Line.
func (l *Line) Has(c *Ticket) bool { return c.places[l.By].in == l }

// after returns the ticket behind c.
func (l *Line) after(c *Ticket) *Ticket { return c.places[l.By].next }
