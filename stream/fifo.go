package stream

type fifo[T any] struct {
	all  []T
	head int // index in all of the first element that is in the queue
}

func (q *fifo[T]) len() int { return len(q.all) - q.head }

func (q *fifo[T]) push(vs ...T) {
	if len(q.all)+len(vs) > cap(q.all) && q.head > len(q.all)/2 { // moves fewer elements than were dropped
		n := copy(q.all, q.all[q.head:])
		clear(q.all[n:])
		q.all, q.head = q.all[:n], 0
	}
	q.all = append(q.all, vs...)
}

func (q *fifo[T]) rest() []T { return q.all[q.head:] }

func (q *fifo[T]) drop(n int) {
	clear(q.all[q.head : q.head+n])
	if q.head += n; q.head == len(q.all) {
		q.all, q.head = q.all[:0], 0
	}
}
