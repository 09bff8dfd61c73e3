package stream

// queue is a first-in first-out queue of indices, in a ring buffer.
type queue struct {
	ring []int32
	head int
	n    int
}

func newQueue(room int) queue { return queue{ring: make([]int32, room)} }

func (q *queue) push(i int32) {
	if q.n == len(q.ring) {
		ring := make([]int32, max(8, 2*q.n))
		copy(ring[copy(ring, q.ring[q.head:]):], q.ring[:q.head])
		q.ring, q.head = ring, 0
	}
	at := q.head + q.n
	if at >= len(q.ring) {
		at -= len(q.ring)
	}
	q.ring[at] = i
	q.n++
}

func (q *queue) first() int32 { return q.ring[q.head] }

func (q *queue) pop() int32 {
	i := q.ring[q.head]
	if q.head++; q.head == len(q.ring) {
		q.head = 0
	}
	q.n--
	return i
}
