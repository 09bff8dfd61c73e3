package queue

import "sync/atomic"

// Inbox is where goroutines leave items for the one that owns a loop. There is no lock: items are a list, the latest
// first, that the owner takes as a whole. The zero Inbox is empty.
type Inbox struct{ last atomic.Pointer[Item] }

// What Inbox.last is when the list is empty and that isn't all there is to say. They are never changed.
var (
	parked = new(Item) // the owner sleeps
	closed = new(Item) // nobody will look any more
)

// Push adds x. It reports false if the inbox is closed. If wake is true the owner sleeps, and only this caller is told.
func (b *Inbox) Push(x *Item) (wake, ok bool) {
	x.at = posted
	for {
		last := b.last.Load()
		switch last {
		case closed:
			x.at, x.next = 0, nil
			return false, false
		case parked:
			x.next = nil
		default:
			x.next = last
		}
		if b.last.CompareAndSwap(last, x) {
			return last == parked, true
		}
	}
}

// Quiet reports whether there is nothing to take, and the owner isn't taken to sleep. It is all that it costs the owner
// to keep the order (T1).
func (b *Inbox) Quiet() bool { return b.last.Load() == nil }

// Take moves everything to r, in the order of arrival. It reports whether Park was called since the last Take, and no
// Push has told its caller to wake the owner. It is for the owner.
func (b *Inbox) Take(r *Ring) (slept bool) {
	last := b.last.Load()
	if last == nil || last == closed {
		return false
	}
	if last = b.last.Swap(nil); last == parked {
		return true
	}
	var first *Item
	for last != nil {
		last, last.next, first = last.next, first, last
	}
	for first != nil {
		x := first
		first, x.next = x.next, nil
		r.Push(x)
	}
	return false
}

// Park says that the owner is going to sleep: the next Push tells its caller to wake it. It reports false if there is
// something to take. It is for the owner.
func (b *Inbox) Park() bool { return b.last.CompareAndSwap(nil, parked) || b.last.Load() == parked }

// Close refuses entries from now on. It reports false, and does nothing, if there is something to take. It is for the
// owner.
func (b *Inbox) Close() bool {
	return b.last.CompareAndSwap(nil, closed) || b.last.CompareAndSwap(parked, closed) || b.last.Load() == closed
}

// Closed reports whether Close has.
func (b *Inbox) Closed() bool { return b.last.Load() == closed }
