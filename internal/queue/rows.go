package queue

import "math/bits"

// row records which of 64 neighbouring slots are free, apart from those in the list of Queue.free. The first row that has
// some is used in the order of memory, whatever the order in which its slots became free. So callbacks that are queued one
// after the other are mostly neighbours in memory.
type row struct {
	free uint64 // a bit for each slot of the row; set if the slot is free
	next int32  // the next row with a free slot
}

const (
	rowBits = 6
	rowLen  = 1 << rowBits
)

func (q *Queue) reserve() int32 {
	i := q.free
	if i == none {
		return q.fromRow()
	}
	q.free = q.slots[i].next
	return i
}

// release makes s, which is slot i, free. Until there is a wheel, all free slots are in the list of Queue.free. From
// then on that list gets a slot only when it is empty, which makes it cheap to queue and take a callback alternately; all
// others go to rows.
func (q *Queue) release(s *slot, i int32) {
	if q.free == none || q.far == nil {
		s.next, q.free = q.free, i
	} else {
		q.toRow(i)
	}
}

func (q *Queue) fromRow() int32 {
	n := q.row
	if n == none {
		q.slots = append(q.slots, slot{gen: 1})
		return int32(len(q.slots) - 1)
	}
	r := &q.rows[n]
	i := bits.TrailingZeros64(r.free)
	r.free &= r.free - 1
	if r.free == 0 {
		q.row = r.next
	}
	return n<<rowBits | int32(i)
}

func (q *Queue) toRow(i int32) {
	n := i >> rowBits
	for int(n) >= len(q.rows) {
		q.rows = append(q.rows, row{})
	}
	r := &q.rows[n]
	if r.free == 0 {
		r.next = q.row
		q.row = n
	}
	r.free |= 1 << (i % rowLen)
}
