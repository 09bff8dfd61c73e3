package stream

// queue is a first-in first-out queue of indices, in a ring buffer.
type queue struct {
	ring []int32
	head int
	n    int
}

func newQueue(size int) queue { return queue{ring: make([]int32, size)} }

func (q *queue) push(i int32) {
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
