//go:build !386 && !arm && !mips && !mipsle

package binval

import "sync"

// Handle is the number of an entry in [Handles], which C gets instead of a Go pointer. No entry has the zero Handle. A
// Handle fits into a void*, but must not be dereferenced.
type Handle uintptr

// Handles is a table of Go values that C refers to by number. It keeps them reachable. A
// Handle carries the generation of its place in the table, so that a Handle used too late is
// recognised and never reaches the entry that has taken over its place. Handles repeat only
// after a place was used 2^32 times.
//
// The zero Handles is empty and ready. All methods may be called from any goroutine. The table
// grows to the largest number of entries it had at once.
type Handles[T any] struct {
	mu     sync.Mutex
	places []place[T]
	free   []uint32
}

type place[T any] struct {
	entry T
	gen   uint32
	used  bool
}

// Put adds an entry and returns its Handle.
func (h *Handles[T]) Put(entry T) Handle {
	h.mu.Lock()
	defer h.mu.Unlock()
	var at uint32
	if n := len(h.free); n > 0 {
		at = h.free[n-1]
		h.free = h.free[:n-1]
	} else {
		at = uint32(len(h.places))
		h.places = append(h.places, place[T]{})
	}
	p := &h.places[at]
	p.entry, p.used = entry, true
	return Handle(p.gen)<<32 | Handle(at+1)
}

// Get returns the entry; ok is false if there is none, or none any more.
func (h *Handles[T]) Get(of Handle) (entry T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.find(of); p != nil {
		return p.entry, true
	}
	return entry, false
}

// Take removes the entry and returns it; ok is false if there is none, or none any more. If
// several goroutines take one entry, one of them succeeds.
func (h *Handles[T]) Take(of Handle) (entry T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.find(of)
	if p == nil {
		return entry, false
	}
	entry = p.entry
	*p = place[T]{gen: p.gen + 1}
	h.free = append(h.free, uint32(of)-1)
	return entry, true
}

// Len returns the number of entries.
func (h *Handles[T]) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.places) - len(h.free)
}

func (h *Handles[T]) find(of Handle) *place[T] {
	at := uint32(of) - 1 // for the zero Handle this is beyond any table
	if int64(at) >= int64(len(h.places)) {
		return nil
	}
	if p := &h.places[at]; p.used && p.gen == uint32(of>>32) {
		return p
	}
	return nil
}
