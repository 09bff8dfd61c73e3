package queue

import "math/bits"

// chunk is a piece of a bucket: half a kilobyte of entries that are read in the order of memory. A linked list
// through the slots would need no memory of its own, but each step along it could miss the processor's cache.
type chunk struct {
	next    *chunk
	entries [chunkLen]entry
}

const (
	chunkLen = 21
	slabLen  = 16 // how many chunks are allocated at once
)

// bucket is an unordered collection of entries. All of its chunks except the last one are full.
type bucket struct {
	head, tail *chunk
	size       uint32 // number of entries
	dead       uint32 // number of entries whose timer was taken out before its time
}

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

// tooDead reports whether removing the dead entries of the bucket is worth the work: more than three in four are dead,
// and more than fit into a chunk.
func (b *bucket) tooDead() bool { return b.dead > max(b.size-b.size/4, chunkLen) }

// drain calls f with each entry of b whose timer still waits. b has been detached from the wheel. Each chunk goes to
// the free list as soon as it has been read.
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

// waiting returns the set, as bits, of the entries whose timer hasn't been taken. The loop is written so that it needn't
// branch on the contents of a slot, which may not be in the processor's cache.
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
