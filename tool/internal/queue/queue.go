// Package queue is the order in which an event loop runs its callbacks: a first-in first-out list of immediates,
// and timers by deadline, then by arrival (rule T1).
//
// It is a plain data structure: no lock, no clock, no goroutine. Each callback sits in a numbered slot; a slot's
// number and its generation make the [Key]. All operations take constant time, or O(log n) of the armed
// timers, and don't allocate once the queue has been as long before: a taken or cancelled callback leaves
// nothing behind. Memory follows the largest number ever queued at once.
package queue

import "time"

// Key names one queued callback. The zero Key names none, and no Key is given out twice.
type Key uint64

const (
	none     = -1 // no slot; no place in the heap
	slotBits = 32
)

// slot holds a callback while it waits. Immediates are a list threaded through the slots, so that
// taking one out of the middle is as cheap as taking the first.
type slot struct {
	fn         func() // nil: free
	seq        uint64 // arrival
	gen        uint32 // counts the uses; zero once they are used up
	pos        int32  // a timer's place in the heap, none for an immediate
	prev, next int32  // an immediate's neighbours; next also links the free slots
}

// Queue is the callbacks that wait. Make one with [New].
type Queue struct {
	slots       []slot
	free        int32 // first free slot
	first, last int32 // immediates
	ready       int   // how many
	timers      heap
	seq         uint64 // the last arrival
}

// New returns an empty queue.
func New() *Queue { return &Queue{free: none, first: none, last: none} }

// Push queues an immediate. fn must not be nil.
func (q *Queue) Push(fn func()) Key {
	i := q.fill(fn)
	s := &q.slots[i]
	s.pos, s.prev, s.next = none, q.last, none
	if q.last == none {
		q.first = i
	} else {
		q.slots[q.last].next = i
	}
	q.last = i
	q.ready++
	return q.key(i)
}

// Arm queues a timer. fn must not be nil.
func (q *Queue) Arm(deadline time.Duration, fn func()) Key {
	i := q.fill(fn)
	q.timers = append(q.timers, entry{})
	q.up(len(q.timers)-1, entry{deadline, q.seq, i})
	return q.key(i)
}

// Valid reports whether k still waits.
func (q *Queue) Valid(k Key) bool {
	i := uint64(uint32(k))
	if k == 0 || i >= uint64(len(q.slots)) {
		return false
	}
	// A free slot's generation has moved past all keys given out for it; but a
	// key of another queue may be one that will be given out.
	return q.slots[i].fn != nil && q.slots[i].gen == uint32(k>>slotBits)
}

// Take removes k and returns its callback, nil if it doesn't wait any more.
func (q *Queue) Take(k Key) func() {
	if !q.Valid(k) {
		return nil
	}
	return q.take(int32(uint32(k)))
}

// Mark returns the point in the order of arrivals that later arrivals come after.
func (q *Queue) Mark() uint64 { return q.seq }

// Pop takes the oldest immediate if it arrived by mark, else returns nil.
func (q *Queue) Pop(mark uint64) func() {
	if q.first == none || q.slots[q.first].seq > mark {
		return nil
	}
	return q.take(q.first)
}

// PopDue takes the first timer if it is due by now and arrived by mark, else returns nil.
func (q *Queue) PopDue(now time.Duration, mark uint64) func() {
	if len(q.timers) == 0 || q.timers[0].deadline > now || q.timers[0].seq > mark {
		return nil
	}
	return q.take(q.timers[0].slot)
}

// Deadline returns the earliest deadline; ok is false when no timer is armed.
func (q *Queue) Deadline() (d time.Duration, ok bool) {
	if len(q.timers) == 0 {
		return 0, false
	}
	return q.timers[0].deadline, true
}

// Ready returns the number of immediates that wait.
func (q *Queue) Ready() int { return q.ready }

// Armed returns the number of timers that wait.
func (q *Queue) Armed() int { return len(q.timers) }

// Clear drops everything. Keys given out before stay void.
func (q *Queue) Clear() {
	for q.first != none {
		q.take(q.first)
	}
	for len(q.timers) > 0 {
		q.take(q.timers[len(q.timers)-1].slot) // the last one leaves no hole to mend
	}
}

// fill finds a slot for fn and notes the arrival.
func (q *Queue) fill(fn func()) int32 {
	q.seq++
	i := q.free
	if i == none {
		i = int32(len(q.slots))
		q.slots = append(q.slots, slot{gen: 1})
	} else {
		q.free = q.slots[i].next
	}
	s := &q.slots[i]
	s.fn, s.seq = fn, q.seq
	return i
}

// take empties slot i, wherever it is queued.
func (q *Queue) take(i int32) func() {
	s := &q.slots[i]
	if s.pos == none {
		q.unlink(s)
	} else {
		q.remove(int(s.pos))
	}
	fn := s.fn
	s.fn = nil
	s.gen++
	if s.gen != 0 { // else retire the slot: its keys are used up, and none may come back
		s.next = q.free
		q.free = i
	}
	return fn
}

func (q *Queue) unlink(s *slot) {
	if s.prev == none {
		q.first = s.next
	} else {
		q.slots[s.prev].next = s.next
	}
	if s.next == none {
		q.last = s.prev
	} else {
		q.slots[s.next].prev = s.prev
	}
	q.ready--
}

func (q *Queue) key(i int32) Key {
	return Key(q.slots[i].gen)<<slotBits | Key(uint32(i))
}
