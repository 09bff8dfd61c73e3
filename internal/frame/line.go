package frame

// Line is a queue of claims, first in first out. Its links are in the claims,
// so it allocates nothing, and to take a claim out of the middle costs as
// little as to take the first. Whoever owns the Line guards it with a lock.
type Line struct {
	By         Link
	head, tail *Claim
	n          int
}

// Link says by which of its places a claim stands in a Line. A claim may be in
// a lock and in a queue for a window of time at once.
type Link uint8

const (
	ByLock   Link = iota // the queue or the holders of a Lock
	ByWindow             // the queue for a window of time
)

// place is where a claim stands in a Line.
type place struct {
	in         *Line
	prev, next *Claim
}

// Len is the number of claims.
func (l *Line) Len() int { return l.n }

// Head is the claim that came first, nil if there is none.
func (l *Line) Head() *Claim { return l.head }

// Push appends c, which stands in no Line by the same link.
func (l *Line) Push(c *Claim) {
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
func (l *Line) Remove(c *Claim) bool {
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
func (l *Line) Has(c *Claim) bool { return c.places[l.By].in == l }

// after is the claim that came after c.
func (l *Line) after(c *Claim) *Claim { return c.places[l.By].next }
