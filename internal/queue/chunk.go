package queue

import "math/bits"

// chunk is a piece of a bucket: half a kilobyte of entries, read in the order of memory. A list threaded through the
// slots would need no memory of its own, but each step along it would wait for the memory.
type chunk struct {
	next    *chunk
	entries [chunkLen]entry
}

const (
	chunkLen = 21
	slabLen  = 16 // chunks made at once
)

// bucket is a bag of entries, in no order. All of its chunks but the last one are full.
type bucket struct {
	head, tail *chunk
	size       uint32 // entries
	dead       uint32 // of them, how many timers were taken
}

// chunks are those that no bucket needs now.
type chunks struct{ spare *chunk }

func (p *chunks) get() *chunk {
	if p.spare == nil {
		slab := make([]chunk, slabLen)
		for i := range slab[1:] {
			slab[i].next = &slab[i+1]
		}
		p.spare = &slab[0]
	}
	c := p.spare
	p.spare, c.next = c.next, nil
	return c
}

// put takes back a list of chunks.
func (p *chunks) put(head, tail *chunk) {
	tail.next = p.spare
	p.spare = head
}

func (b *bucket) add(e entry, p *chunks) {
	at := b.size % chunkLen
	if at == 0 {
		c := p.get()
		if b.tail == nil {
			b.head = c
		} else {
			b.tail.next = c
		}
		b.tail = c
	}
	b.tail.entries[at] = e
	b.size++
}

// tooDead reports whether the bucket is worth the work of weeding: three in four entries are dead, and not just a few.
func (b *bucket) tooDead() bool { return b.dead > max(b.size-b.size/4, chunkLen) }

// drain calls f with the entries that wait, of a bucket that was detached. A chunk is given back when it has been read.
func (q *Queue) drain(b bucket, f func(*entry)) {
	for c, left := b.head, b.size; c != nil; {
		n := min(left, chunkLen)
		for set := q.waiting(c.entries[:n]); set != 0; set &= set - 1 {
			f(&c.entries[bits.TrailingZeros32(set)])
		}
		next := c.next
		q.far.put(c, c)
		c, left = next, left-n
	}
}

// waiting returns the bit set of the entries whose timer wasn't taken. It has no branch that depends on a slot, so that
// the slots come into the caches many at a time.
func (q *Queue) waiting(entries []entry) (set uint32) {
	for i := range entries {
		var bit uint32
		if q.waits(&entries[i]) {
			bit = 1
		}
		set |= bit << i
	}
	return set
}
