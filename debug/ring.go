package debug

import "slices"

// ring keeps the latest items, up to limit.
type ring[T any] struct {
	limit int
	items []T
	next  int // index of the item to be overwritten, once there are limit items
}

// add keeps item. If there were limit items already, it drops the oldest one and returns it.
func (r *ring[T]) add(item T) (dropped T, full bool) {
	if len(r.items) < r.limit {
		r.items = append(r.items, item)
		return dropped, false
	}
	dropped = r.items[r.next]
	r.items[r.next] = item
	r.next = (r.next + 1) % r.limit
	return dropped, true
}

// last returns the latest item. There must be one.
func (r *ring[T]) last() T { return r.items[(r.next+len(r.items)-1)%len(r.items)] }

// all returns a copy of the items, oldest first.
func (r *ring[T]) all() []T { return slices.Concat(r.items[r.next:], r.items[:r.next]) }
