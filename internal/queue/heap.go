package queue

import (
	"slices"
	"time"
)

// entry holds its own sort key, so that sifting and sorting follow no pointer.
type entry struct {
	deadline time.Duration
	seq      uint64 // number of the arrival, which decides between equal deadlines
	key      Key
}

func (e *entry) before(f *entry) bool {
	return e.deadline < f.deadline || e.deadline == f.deadline && e.seq < f.seq
}

// inOrder sorts entries. No two entries are equal.
func inOrder(entries []entry) {
	slices.SortFunc(entries, func(a, b entry) int {
		if a.before(&b) {
			return -1
		}
		return 1
	})
}

// heap is a 4-ary min-heap: half as deep as a binary one, and the four children of a node are neighbours in memory.
type heap []entry

const arity = 4

func (q *Queue) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / arity
		if !e.before(&q.timers[parent]) {
			break
		}
		q.place(i, q.timers[parent])
		i = parent
	}
	q.place(i, e)
}

func (q *Queue) down(i int, e entry) {
	for {
		child := q.timers.least(i*arity + 1)
		if child < 0 || !q.timers[child].before(&e) {
			break
		}
		q.place(i, q.timers[child])
		i = child
	}
	q.place(i, e)
}

// least returns the index of the smallest of the siblings that start at i, or -1.
func (h heap) least(i int) int {
	if i >= len(h) {
		return -1
	}
	least := i
	for j := i + 1; j < min(i+arity, len(h)); j++ {
		if h[j].before(&h[least]) {
			least = j
		}
	}
	return least
}

// remove takes out the entry at i; the last entry fills the hole.
func (q *Queue) remove(i int) {
	n := len(q.timers) - 1
	moved := q.timers[n]
	q.timers = q.timers[:n]
	switch {
	case i == n: // it was the last one
	case i > 0 && moved.before(&q.timers[(i-1)/arity]):
		q.up(i, moved)
	default:
		q.down(i, moved)
	}
}

func (q *Queue) place(i int, e entry) {
	q.timers[i] = e
	q.slots[e.key.slot()].pos = int32(i)
}
