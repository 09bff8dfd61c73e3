// Package queue keeps the callbacks of an event loop in the order in which they run: immediates first in, first out, and
// timers by deadline, then by arrival (rule T1).
//
// A [Queue] has both. It is a plain data structure: no lock, no clock, no goroutine. Each callback sits in a numbered
// slot; a slot's number and its generation make the [Key]. A loop to which many goroutines post keeps its immediates in a
// [Ring] instead, each in an [Entry]. The entries of other goroutines reach the Ring through an [Inbox].
//
// # Timers
//
// Up to about a thousand timers are kept in a heap alone. When there are more, the heap is emptied into a wheel of eleven
// levels of 64 buckets; a level is allocated when it is first needed. From then on a timer is in one of three places:
//
//   - the wheel, if it is due after the edge;
//   - the run, which is sorted: the former first bucket of the wheel or, after the heap was emptied, the timers with the
//     earliest deadline. Its last deadline is the edge;
//   - the heap, if it was armed for a deadline up to the edge.
//
// So the first timer is the head of the run or of the heap. When both are empty the first bucket becomes the run. If that
// bucket holds more than a hundred timers or so, they are dealt to lower levels first, if need be down to the level whose
// buckets are nanoseconds. When the wheel is empty there is no edge: new timers go to the heap, until it is large again. If
// the heap grows large because the edge is far ahead of the new timers, it is emptied into the wheel once more, and the edge
// is moved back. Any deadlines are allowed: in the past, equal, of any range, in any order.
//
// # Costs
//
// To queue and to take an immediate takes constant time, amortised. To arm, stop or pop a timer takes O(log n) while all n
// timers are in the heap. With a wheel it takes constant time, amortised: a timer is moved once for each level that it goes
// down, in bulk and in the order of memory, and then sorted with its bucket. If a million timers are spread over seconds,
// each goes down one or two levels. When the heap is emptied and the edge moved back, some timers of the wheel and the run
// are moved as well, fewer than the heap had. A single call may take long: it may deal a bucket down several levels, or
// empty the heap.
//
// In bad cases the cost is that of a heap. The heap isn't emptied before it has more timers than would have to be moved in
// the wheel and the run, and until then each of its timers costs O(log n). That matters if many timers with distant
// deadlines are close together, and more than a thousand others come and go before these are due. A million timers with the
// same deadline become a run of a million, which is sorted in one call; if they are in the order of arrival already, that
// takes linear time.
//
// A timer that is stopped leaves the heap at once. In the run and in the wheel its slot is free at once too, but its
// entry of 24 bytes stays until it is read. A bucket is dealt anew when more than three in four of its entries are
// stopped (and more than a few), and dropped when all are. So memory follows the largest number of callbacks ever queued at
// once: stopped timers don't accumulate. A queue that has been as long before, with deadlines as widely spread, allocates
// nothing.
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
	gen        uint32 // number of the present use of the slot or, if it is free, of the next; zero once the numbers are used up
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
	run    []entry       // timers due up to edge that aren't in the heap, sorted; some of them may have been taken
	head   int           // index in run of the first entry that hasn't been read
	aside  int           // number of timers that wait in the run and in the wheel
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

// Take removes the callback named k and returns it. It returns nil if the callback doesn't wait.
func (q *Queue) Take(k Key) func() {
	if !q.Valid(k) {
		return nil
	}
	return q.take(k.slot())
}

// Mark returns a mark for Pop and PopDue, which leave alone what arrives after this call.
func (q *Queue) Mark() uint64 { return q.seq }

// Pop takes the oldest immediate and returns it, or nil if none has arrived before mark.
func (q *Queue) Pop(mark uint64) func() {
	if q.first == none || q.slots[q.first].order > mark {
		return nil
	}
	return q.take(q.first)
}

// PopDue takes the first timer and returns its callback. It takes nothing and returns nil if there is no timer, or if the
// first one isn't due at now or arrived after mark.
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
