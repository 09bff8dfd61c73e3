package debug

import "slices"

// ring keeps the last items of many, at most limit.
type ring[T any] struct {
	limit int
	items []T
	next  int // to be overwritten, once there are limit items
}

func (r *ring[T]) add(item T) {
	if len(r.items) < r.limit {
		r.items = append(r.items, item)
		return
	}
	r.items[r.next] = item
	r.next = (r.next + 1) % r.limit
}

// all gives a copy of the items, oldest first.
func (r *ring[T]) all() []T { return slices.Concat(r.items[r.next:], r.items[:r.next]) }
