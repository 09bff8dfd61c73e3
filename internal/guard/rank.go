package guard

import (
	"cmp"
	"slices"
)

// rank is the run of tickets of one rank in a [Line], where they are neighbours.
type rank struct {
	rank int64
	last *Ticket
}

// Insert inserts c behind all tickets of the same or a higher rank. c must not be in a Line by
// the same link. Use either Insert or Push for all tickets of a Line.
func (l *Line) Insert(c *Ticket) {
	at, found := l.rank(c.Rank)
	var prev *Ticket
	switch {
	case found:
		prev = l.ranks[at].last
		l.ranks[at].last = c
	default:
		if at > 0 {
			prev = l.ranks[at-1].last
		}
		l.ranks = slices.Insert(l.ranks, at, rank{c.Rank, c})
	}
	l.insert(prev, c)
}

// rank returns where the tickets of rank n are in ranks, or would be.
func (l *Line) rank(n int64) (at int, found bool) {
	return slices.BinarySearchFunc(l.ranks, n, func(r rank, n int64) int { return cmp.Compare(n, r.rank) })
}

// unrank records that c, which is behind prev, leaves the line.
func (l *Line) unrank(c, prev *Ticket) {
	at, _ := l.rank(c.Rank)
	switch {
	case l.ranks[at].last != c:
	case prev != nil && prev.Rank == c.Rank:
		l.ranks[at].last = prev
	default:
		l.ranks = slices.Delete(l.ranks, at, at+1)
	}
}
