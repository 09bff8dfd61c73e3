package queue

import "sync/atomic"

// Inbox is a lock-free list in which goroutines leave items for the goroutine that owns a loop. The newest item comes
// first, and the owner takes the whole list at once. The zero Inbox is empty.
type Inbox struct{ last atomic.Pointer[Item] }

// These values of Inbox.last stand for an empty list in a special state. The items themselves are never changed.
var (
	parked = new(Item) // the list is empty and the owner sleeps
	closed = new(Item) // the list is empty and takes no more items
)

// Push adds x. ok is false if the inbox is closed. wake is true if the owner sleeps: this caller, and no other, must
// wake it.
func (b *Inbox) Push(x *Item) (wake, ok bool) {
	if x.at != starting {
		x.at = posted
	}
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

// Quiet reports whether the inbox is empty, isn't closed, and the owner isn't marked as sleeping. It is one atomic load.
func (b *Inbox) Quiet() bool { return b.last.Load() == nil }

// Take moves all items to r, in the order of arrival, except starts that s holds back: these go to s. It reports whether
// the owner was still marked as sleeping, which means that it has called Park since the last Take and that no Push has
// followed. Only the owner may call it.
func (b *Inbox) Take(r *Ring, s *Starts) (slept bool) {
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
		if x.at == starting && s.waits(r) {
			s.add(x)
		} else {
			r.Push(x)
		}
	}
	return false
}

// Park marks the owner as sleeping: the next Push tells its caller to wake the owner. It reports false if there are
// items to take, or if the inbox is closed. Only the owner may call it.
func (b *Inbox) Park() bool { return b.last.CompareAndSwap(nil, parked) || b.last.Load() == parked }

// Close makes Push refuse items from now on. If there are items to take it does nothing and reports false. Only the
// owner may call it.
func (b *Inbox) Close() bool {
	return b.last.CompareAndSwap(nil, closed) || b.last.CompareAndSwap(parked, closed) || b.last.Load() == closed
}

// Closed reports whether Close has closed the inbox.
func (b *Inbox) Closed() bool { return b.last.Load() == closed }
