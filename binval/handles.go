package binval

import (
	"sync"

	"github.com/futoin-go/asyncsteps/internal/registry"
)

// Handle is the number of an entry in [Handles], which C gets instead of a Go pointer. No entry has the zero Handle. A
// Handle fits into a void*, but must not be dereferenced.
type Handle uintptr

// Handles is a table of Go values that C refers to by number. It keeps the values reachable. A Handle that is used too late doesn't
// reach another entry: a number repeats only after a place of the table was used 2^32 times or, where a Handle has 32 bits, after nearly
// 2^32 entries.
//
// The zero Handles is empty and ready. All methods may be called from any goroutine.
type Handles[T any] struct {
	mu      sync.Mutex
	entries registry.Table[T]
}

// Put adds an entry and returns its Handle.
func (h *Handles[T]) Put(entry T) Handle {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Handle(h.entries.Put(entry))
}

// Get returns the entry; ok is false if there never was one, or it was taken.
func (h *Handles[T]) Get(of Handle) (entry T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.entries.Get(uintptr(of))
}

// Take removes the entry and returns it; ok is false if there never was one, or it was taken. If
// several goroutines take one entry, only one of them succeeds.
func (h *Handles[T]) Take(of Handle) (entry T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.entries.Take(uintptr(of))
}

// Len returns the number of entries.
func (h *Handles[T]) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.entries.Len()
}
