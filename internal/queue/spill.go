package queue

import "math/bits"

// spill empties the heap into the wheel and the run, and moves the edge back to the first timer. It does nothing unless
// the heap has more timers than would have to be moved within the wheel and the run, by more than q.crowd. So fewer other
// timers are moved than timers of the heap.
func (q *Queue) spill() {
	if q.far == nil {
		q.far = new(wheel)
	}
	w, edge, top := q.far, q.next().deadline, 0
	if w.used != 0 {
		top = w.level(rank(edge))
	}
	if len(q.timers) <= q.crowd+len(q.run)-q.head+w.below(top) {
		return
	}
	w.base = rank(edge)
	for i := range top { // the places of timers below level top depend on base, which has changed
		for l := w.levels[i]; l != nil && l.used != 0; {
			q.deal(w.detach(i, bits.TrailingZeros64(l.used)))
		}
	}
	run := q.run[q.head:]
	q.run = q.run[:0] // the loop below reads each entry before divide can overwrite it
	for _, e := range run {
		if q.waits(&e) {
			q.divide(e)
		}
	}
	for _, e := range q.timers {
		q.setAside(e)
		q.divide(e)
	}
	q.timers = q.timers[:0]
	q.sort()
	q.setEdge(edge)
}

func (q *Queue) divide(e entry) {
	if rank(e.deadline) == q.far.base {
		q.run = append(q.run, e)
	} else {
		q.far.add(e)
	}
}

// setAside records in the slot of e that the timer isn't in the heap.
func (q *Queue) setAside(e entry) {
	s := &q.slots[e.key.slot()]
	s.pos, s.order = aside, rank(e.deadline)
	q.aside++
}

// takeAside records that a timer of rank r, in the run or in the wheel, was taken. Its entry stays until it is read,
// or until all or too many entries of its bucket are dead.
func (q *Queue) takeAside(r uint64) {
	q.aside--
	if r <= rank(q.edge) {
		return // the timer is in the run, whose dead entries are dropped when they are read
	}
	w := q.far
	i, j := w.place(r)
	b := &w.levels[i].buckets[j]
	b.dead++
	switch {
	case b.dead == b.size:
		gone := w.detach(i, j)
		w.put(gone.head, gone.tail)
		if w.used == 0 {
			q.edge = endless
		}
	case b.tooDead():
		q.deal(w.detach(i, j))
	}
}

func (q *Queue) clearAside() {
	if q.far == nil {
		return
	}
	drop := func(e *entry) {
		i := e.key.slot()
		q.vacate(&q.slots[i], i)
	}
	for i := q.head; i < len(q.run); i++ {
		if e := &q.run[i]; q.waits(e) {
			drop(e)
		}
	}
	for q.far.used != 0 {
		q.drain(q.far.detach(q.far.first()), drop)
	}
	q.run, q.head, q.aside, q.edge = q.run[:0], 0, 0, endless
}
