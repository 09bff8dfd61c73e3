package queue

// Ring is the immediates of a loop, oldest first. It belongs to the goroutine that owns the loop: there is no lock.
type Ring struct {
	buf        []*Entry // its length is a power of two
	head, tail uint64   // counts of all that was taken and put in
}

const ringLen = 16

// Push puts e at the end.
func (r *Ring) Push(e *Entry) {
	if r.tail-r.head == uint64(len(r.buf)) {
		r.grow()
	}
	r.buf[r.tail&uint64(len(r.buf)-1)] = e
	r.tail++
}

func (r *Ring) grow() {
	buf := make([]*Entry, max(ringLen, 2*len(r.buf)))
	for i := r.head; i != r.tail; i++ {
		buf[i&uint64(len(buf)-1)] = r.buf[i&uint64(len(r.buf)-1)]
	}
	r.buf = buf
}

// Mark returns the point in the order of arrivals that later arrivals come after.
func (r *Ring) Mark() uint64 { return r.tail }

// Pop takes the oldest callback that waits if it arrived before mark, else returns nil.
func (r *Ring) Pop(mark uint64, p *Entries) func() {
	for r.head < mark { // Empty may have passed it
		at := &r.buf[r.head&uint64(len(r.buf)-1)]
		e := *at
		*at = nil
		r.head++
		if fn := p.take(e); fn != nil {
			return fn
		}
	}
	return nil
}

// Empty reports whether nothing waits, and drops what was cancelled before the first that waits.
func (r *Ring) Empty(p *Entries) bool {
	for ; r.head != r.tail; r.head++ {
		at := &r.buf[r.head&uint64(len(r.buf)-1)]
		if e := *at; e.now.Load() == uint64(e.key) {
			return false
		}
		p.free(*at)
		*at = nil
	}
	return true
}

// Clear drops everything. Keys given out before stay void.
func (r *Ring) Clear(p *Entries) {
	for fn := r.Pop(r.tail, p); fn != nil; {
		fn = r.Pop(r.tail, p)
	}
}
