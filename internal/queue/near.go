package queue

import (
	"math"
	"time"
)

const (
	crowd   = 1024 // the heap may grow to this size before there is a wheel
	batches = 8    // this part of it, or less, makes a bucket a run
)

const endless time.Duration = math.MaxInt64

// next returns the first of all timers, or nil.
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

// settle sees to it that the head of the run waits, and that something is near if anything is armed.
func (q *Queue) settle() {
	for q.head < len(q.run) && !q.waits(&q.run[q.head]) {
		q.head++
	}
	if q.head == len(q.run) && len(q.timers) == 0 && q.far.used != 0 {
		q.refill()
	}
}

// waits reports whether the timer of e, which is in the run or in the wheel, wasn't taken.
func (q *Queue) waits(e *entry) bool { return q.slots[e.key.slot()].gen == e.key.gen() }

// refill makes the first bucket the run. One that holds too much is dealt to lower levels before.
func (q *Queue) refill() {
	w := q.far
	for {
		i, j := w.first()
		b := w.detach(i, j)
		if i == 0 || int(b.size-b.dead) <= q.crowd/batches {
			q.load(b)
			return
		}
		w.enter(i, j)
		q.deal(b)
	}
}

// load makes b the run; the one before must be at its end.
func (q *Queue) load(b bucket) {
	q.run = q.run[:0]
	q.drain(b, func(e *entry) { q.run = append(q.run, *e) })
	q.sort()
	q.setEdge(q.run[len(q.run)-1].deadline)
}

// sort makes of what is in the run a run that begins.
func (q *Queue) sort() {
	inOrder(q.run)
	q.head = 0
}

// setEdge says what the wheel holds: what is due after d. If that is nothing, all that comes is near.
func (q *Queue) setEdge(d time.Duration) {
	q.far.base = rank(d)
	if q.far.used == 0 {
		d = endless
	}
	q.edge = d
}

// deal puts what waits in b into the wheel, where it belongs now.
func (q *Queue) deal(b bucket) {
	q.drain(b, func(e *entry) { q.far.add(*e) })
}
