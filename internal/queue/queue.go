// Package queue is the order in which an event loop runs its callbacks: a first-in first-out list of immediates,
// and timers by deadline, then by arrival (rule T1).
//
// A [Queue] has both. It is a plain data structure: no lock, no clock, no goroutine. Each callback sits in a numbered
// slot; a slot's number and its generation make the [Key]. A loop to which many goroutines post has its immediates in a
// [Ring] instead: [Entries] hold what they post, which comes to the Ring through an [Inbox].
//
// # Timers
//
// Up to about a thousand timers are a heap, and there is nothing else. When there are more, the heap is emptied into a
// wheel of eleven levels by 64 buckets, made level by level as needed. From then on a timer is in one of three places:
//
//   - the wheel, if it is due after the edge;
//   - the run, which is sorted: the former first bucket of the wheel or, after the heap was emptied, the timers with the
//     earliest deadline. Its last deadline is the edge;
//   - the heap, if it was armed for a deadline up to the edge.
//
// So the first timer is the head of the run or of the heap. When both are empty the first bucket becomes the run; if it
// holds more than a hundred or so, it is first dealt to lower levels, and so on, down to the nanosecond. When the wheel is
// empty there is no edge: all that is armed goes to the heap, until that is large again. If the heap grows large because
// the edge is far ahead of what is armed, the heap is emptied into the wheel once more and the edge is moved back. Any
// deadlines are allowed: in the past, equal, of any range, in any order.
//
// # Costs
//
// To queue and to take an immediate takes constant time, amortised. To arm, to stop or to pop a timer takes O(log n) while
// the n armed are a heap alone. With a wheel it is constant, amortised: a timer is moved once for each level that it goes
// down, in bulk and in the order of memory, and then sorted with its bucket. It goes down once or twice if a million are
// spread over seconds. Where the edge is moved back, each timer armed into the heap may cause as many moves of one other
// timer. A single call may take long: it may deal a bucket down several levels, or empty the heap.
//
// In bad cases the cost is that of a heap. The heap is emptied only when it holds more timers than the run and the part of
// the wheel that would have to be moved, so that arrivals pay for moves; until then a timer in the heap costs O(log n).
// That matters when many timers far away lie closely together, and more than a thousand come and go before they are due. A
// million with the same deadline become a run of a million, which is sorted at once; if they stand in the order of arrival,
// that takes linear time.
//
// A timer that is stopped leaves the heap at once. In the run and in the wheel its slot is free at once too, but its
// entry of 24 bytes stays until it is read. A bucket is dealt anew when more than three in four of its entries are
// stopped (and more than a few), and dropped when all are. So memory follows the largest number ever queued at once:
// armed and stopped timers don't add up, and nothing is allocated once the queue has been as long, and as spread,
// before.
package queue

import "time"

// Key names one queued callback. The zero Key names none, and a queue uses no Key twice.
type Key uint64

func (k Key) slot() int32 { return int32(uint32(k)) }
func (k Key) gen() uint32 { return uint32(k >> slotBits) }

const (
	none     = -1 // no slot, no row, or no place in the heap
	aside    = -2 // the place of a timer in the run or in the wheel
	slotBits = 32
)

// slot holds a callback while it waits. Immediates are a list threaded through the slots, so that
// taking one out of the middle takes constant time.
type slot struct {
	fn         func() // nil if the slot is free
	order      uint64 // for an immediate, the number of its arrival; for a timer in the run or in the wheel, the rank of its deadline
	gen        uint32 // number of the use of the slot, or of its next one if it is free; zero once the numbers are used up
	pos        int32  // for a timer, its place in the heap, or aside; none for an immediate
	prev, next int32  // the neighbours of an immediate; next also links the free slots
}

// Queue holds the callbacks that wait. Make one with [New].
type Queue struct {
	slots []slot
	free  int32 // first of the list of free slots
	row   int32 // first row with a free slot
	rows  []row // nil until there is a wheel

	first, last int32  // ends of the list of immediates
	ready       int    // how many immediates wait
	seq         uint64 // the number of the last arrival

	timers heap          // timers that were armed for a deadline up to edge
	edge   time.Duration // endless if the wheel is empty
	far    *wheel        // timers that are due after edge; nil until there are many timers
	run    []entry       // timers up to edge that aren't in the heap, sorted; timers that were taken out are still in it
	head   int           // index in run of the first timer that wasn't read
	aside  int           // number of timers in the run and in the wheel
	crowd  int           // the constant crowd, except in tests
}

// New returns an empty queue.
func New() *Queue {
	return &Queue{free: none, row: none, first: none, last: none, edge: endless, crowd: crowd}
}

// Push queues an immediate. fn must not be nil.
func (q *Queue) Push(fn func()) Key {
	i := q.reserve()
	q.seq++
	s := &q.slots[i]
	s.fn, s.order = fn, q.seq
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
	i := q.reserve()
	q.seq++
	q.slots[i].fn = fn
	e := entry{deadline, q.seq, q.key(i)}
	if deadline > q.edge {
		q.setAside(e)
		q.far.add(e)
		return e.key
	}
	n := len(q.timers)
	q.timers = append(q.timers, e)
	if n == 0 {
		q.place(0, e)
		return e.key
	}
	q.up(n, e)
	if n >= q.crowd {
		q.spill()
	}
	return e.key
}

// Valid reports whether the callback named k still waits.
func (q *Queue) Valid(k Key) bool {
	i := uint64(uint32(k))
	if k == 0 || i >= uint64(len(q.slots)) {
		return false
	}
	// The generation alone isn't enough: a key of another queue may be the same as the next one that a free slot of this queue
	// gives out.
	return q.slots[i].fn != nil && q.slots[i].gen == k.gen()
}

// Take removes the callback named k and returns it, or nil if it doesn't wait any more.
func (q *Queue) Take(k Key) func() {
	if !q.Valid(k) {
		return nil
	}
	return q.take(k.slot())
}

// Mark returns a point in the order of arrivals, for Pop and PopDue: what arrives later comes after it.
func (q *Queue) Mark() uint64 { return q.seq }

// Pop takes the oldest immediate and returns it, or nil if none has arrived before mark.
func (q *Queue) Pop(mark uint64) func() {
	if q.first == none || q.slots[q.first].order > mark {
		return nil
	}
	return q.take(q.first)
}

// PopDue takes the first timer and returns its callback, or nil if there is none, or if it isn't due at now or arrived
// after mark.
func (q *Queue) PopDue(now time.Duration, mark uint64) func() {
	e := q.next()
	if e == nil || e.deadline > now || e.seq > mark {
		return nil
	}
	return q.take(e.key.slot())
}

// Deadline returns the earliest deadline; ok is false when no timer is armed.
func (q *Queue) Deadline() (d time.Duration, ok bool) {
	e := q.next()
	if e == nil {
		return 0, false
	}
	return e.deadline, true
}

// Ready returns the number of immediates that wait.
func (q *Queue) Ready() int { return q.ready }

// Armed returns the number of timers that wait.
func (q *Queue) Armed() int { return len(q.timers) + q.aside }

// Clear removes all callbacks. Their keys become invalid for good.
func (q *Queue) Clear() {
	for q.first != none {
		q.take(q.first)
	}
	for len(q.timers) > 0 {
		q.take(q.timers[len(q.timers)-1].key.slot()) // taking the last entry of the heap moves no other
	}
	q.clearAside()
}

func (q *Queue) take(i int32) func() {
	s := &q.slots[i]
	switch s.pos {
	case none:
		q.unlink(s)
	case aside:
		fn := q.vacate(s, i)
		q.takeAside(s.order)
		return fn
	default:
		q.remove(int(s.pos))
	}
	return q.vacate(s, i)
}

func (q *Queue) vacate(s *slot, i int32) func() {
	fn := s.fn
	s.fn = nil
	s.gen++
	if s.gen != 0 { // otherwise the slot is never used again: its keys are used up, and no key may be used twice
		q.release(s, i)
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
