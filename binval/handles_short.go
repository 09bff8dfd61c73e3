//go:build 386 || arm || mips || mipsle

package binval

import "sync"

// Handle is the number of an entry in [Handles], which C gets instead of a Go pointer. No entry has the zero Handle. A
// Handle fits into a void*, but must not be dereferenced.
type Handle uintptr

// Handles is a table of Go values that C refers to by number. It keeps them
// reachable. A Handle of 32 bits has no room for a place and its generation, so
// here each entry gets the next number that isn't in use: only after 2^32 entries
// the numbers repeat.
//
// The zero Handles is empty and ready. All methods may be called from any
// goroutine.
type Handles[T any] struct {
	mu      sync.Mutex
	entries map[Handle]T
	last    Handle
}

// Put adds an entry and returns its Handle.
func (h *Handles[T]) Put(entry T) Handle {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.entries == nil {
		h.entries = make(map[Handle]T)
	}
	for {
		h.last++
		if _, used := h.entries[h.last]; !used && h.last != 0 {
			h.entries[h.last] = entry
			return h.last
		}
	}
}

// Get returns the entry; ok is false if there is none, or none any more.
func (h *Handles[T]) Get(of Handle) (entry T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	entry, ok = h.entries[of]
	return entry, ok
}

// Take removes the entry and returns it; ok is false if there is none, or none any more. If
// several goroutines take one entry, one of them succeeds.
func (h *Handles[T]) Take(of Handle) (entry T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	entry, ok = h.entries[of]
	delete(h.entries, of)
	return entry, ok
}

// Len returns the number of entries.
func (h *Handles[T]) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.entries)
}
