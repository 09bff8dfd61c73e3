package queue

import (
	"math"
	"time"
)

const (
	crowd   = 1024 // the heap may have this many timers before a wheel is made
	batches = 8    // a bucket of at most crowd/batches timers becomes the run as it is
)

const endless time.Duration = math.MaxInt64

// next returns the timer that is due first, or nil if there is none.
func (q *Queue) next() *entry {
	if q.aside > 0 {
		return q.nextOfBoth()
	}
	if len(q.timers) == 0 {
		return nil
	}
	return &q.timers[0]
}

func (q *Queue) nextOfBoth() *entry {
	q.settle()
	if q.head < len(q.run) && (len(q.timers) == 0 || q.run[q.head].before(&q.timers[0])) {
		return &q.run[q.head]
	}
	return &q.timers[0]
}

// settle drops taken timers from the head of the run. If the run and the heap are empty then, and the wheel isn't, settle
// refills the run.
func (q *Queue) settle() {
	for q.head < len(q.run) && !q.waits(&q.run[q.head]) {
		q.head++
	}
	if q.head == len(q.run) && len(q.timers) == 0 && q.far.used != 0 {
		q.refill()
	}
}

// waits reports whether the timer of e hasn't been taken. e is in the run or in the wheel.
func (q *Queue) waits(e *entry) bool { return q.slots[e.key.slot()].gen == e.key.gen() }

// refill makes the first bucket of the wheel the run. A bucket that holds too many timers is first dealt to lower
// levels.
func (q *Queue) refill() {
	w := q.far
	for {
		i, j := w.first()
		b := w.detach(i, j)
		if i == 0 || int(b.size-b.dead) <= q.crowd/batches {
			q.load(b)
			return
		}
		w.moveBase(i, j)
		q.deal(b)
	}
}

// load copies the waiting timers of b to the run. The former run must have been read to its end.
func (q *Queue) load(b bucket) {
	q.run = q.run[:0]
	q.drain(b, func(e *entry) { q.run = append(q.run, *e) })
	q.sort()
	q.setEdge(q.run[len(q.run)-1].deadline)
}

func (q *Queue) sort() {
	inOrder(q.run)
	q.head = 0
}

// setEdge sets the edge to d: from now on the wheel holds the timers that are due after d. If the wheel is empty
// there is no edge, and each new timer goes to the heap.
func (q *Queue) setEdge(d time.Duration) {
	q.far.base = rank(d)
	if q.far.used == 0 {
		d = endless
	}
	q.edge = d
}

// deal puts the waiting timers of b, which was detached, back into the wheel, at the places where they belong now.
func (q *Queue) deal(b bucket) {
	q.drain(b, func(e *entry) { q.far.add(*e) })
}
