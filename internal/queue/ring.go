package queue

// Ring holds the immediates of a loop, oldest first. Only the goroutine that owns the loop uses it, so there is no
// lock.
type Ring struct {
	buf        []*Item // nil, or its length is a power of two
	head, tail uint64  // numbers of the first place in use and of the next free one; they only grow
}

const ringLen = 16

// Push puts x at the end.
func (r *Ring) Push(x *Item) {
	buf, tail := r.buf, r.tail
	if tail-r.head == uint64(len(buf)) {
		buf = r.grow()
	}
	buf[tail&uint64(len(buf)-1)] = x
	r.tail, x.at = tail+1, tail+1
}

func (r *Ring) grow() []*Item {
	buf := make([]*Item, max(ringLen, 2*len(r.buf)))
	for i := r.head; i != r.tail; i++ {
		buf[i&uint64(len(buf)-1)] = r.buf[i&uint64(len(r.buf)-1)]
	}
	r.buf = buf
	return buf
}

// length returns the number of places from head to tail, which includes those of removed items.
func (r *Ring) length() int { return int(r.tail - r.head) }

// Mark returns a mark for Next, which leaves alone what arrives after this call.
func (r *Ring) Mark() uint64 { return r.tail }

// Next takes out the oldest item and returns it, or nil if none has arrived before mark. The item may be a callback
// that was cancelled.
func (r *Ring) Next(mark uint64) *Item {
	for r.head < mark { // Empty may have moved head past mark
		at := &r.buf[r.head&uint64(len(r.buf)-1)]
		r.head++
		if x := *at; x != nil { // nil if Remove has taken the item out
			*at = nil
			x.at = 0
			return x
		}
	}
	return nil
}

// Remove takes out x, which must be in the ring.
func (r *Ring) Remove(x *Item) {
	r.buf[(x.at-1)&uint64(len(r.buf)-1)] = nil
	x.at = 0
}

// Empty reports whether no item waits. It also frees the cancelled callbacks in front of the first item that waits.
func (r *Ring) Empty(p *Entries) bool {
	for ; r.head != r.tail; r.head++ {
		at := &r.buf[r.head&uint64(len(r.buf)-1)]
		x := *at
		if x == nil { // Remove has taken the item out
			continue
		}
		e, callback := x.run.(*Entry)
		if !callback || e.now.Load() == uint64(e.key) {
			return false
		}
		x.at = 0
		p.free(e)
		*at = nil
	}
	return true
}

// Drained reports whether the ring holds nothing, not even a callback that was cancelled or the place of a removed item.
func (r *Ring) Drained() bool { return r.head == r.tail }

// Clear removes all items. The keys of callbacks become invalid for good.
func (r *Ring) Clear(p *Entries) {
	for !r.Empty(p) {
		if e, callback := r.Next(r.tail).Callback(); callback {
			_ = p.Take(e)
		}
	}
}
