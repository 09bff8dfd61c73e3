package queue

import "math/bits"

// spill moves the heap to the wheel, all but what is first, if the heap is larger than the work it makes for others:
// a wheel that has turned too far has to turn back. So each timer pays for at most one move besides its own, and
// whoever stays in the heap has it no better and no worse than in a heap alone.
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
	for i := range top { // what is there shares its digit at top with the former base, but not with this one
		for l := w.levels[i]; l != nil && l.used != 0; {
			q.deal(w.detach(i, bits.TrailingZeros64(l.used)))
		}
	}
	run := q.run[q.head:]
	q.run = q.run[:0] // it grows at most as fast as it is read
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

// divide puts e into the run if it is due at base, else into the wheel.
func (q *Queue) divide(e entry) {
	if rank(e.deadline) == q.far.base {
		q.run = append(q.run, e)
	} else {
		q.far.add(e)
	}
}

// setAside notes in its slot that e is not in the heap.
func (q *Queue) setAside(e entry) {
	s := &q.slots[e.key.slot()]
	s.pos, s.order = aside, rank(e.deadline)
	q.aside++
}

// takeAside notes that a timer of rank r in the run or in the wheel was taken. Its entry stays, until it is met or
// until too many of its bucket are such.
func (q *Queue) takeAside(r uint64) {
	q.aside--
	if r <= rank(q.edge) {
		return // it is in the run, which only gets shorter
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

// clearAside drops what is in the run and in the wheel.
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
