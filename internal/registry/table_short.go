//go:build 386 || arm || mips || mipsle

package registry

import (
	"iter"
	"maps"
)

// Table holds entries by their numbers. The zero Table is empty and ready. It must not be used by several goroutines at the
// same time.
//
// A number of 32 bits has no room for a slot and its generation, so here each entry gets the next unused number.
type Table[T any] struct {
	entries map[uintptr]T
	last    uintptr
}

// Put adds an entry and returns its number, which isn't 0.
func (t *Table[T]) Put(entry T) uintptr {
	if t.entries == nil {
		t.entries = make(map[uintptr]T)
	}
	for {
		t.last++
		if _, used := t.entries[t.last]; !used && t.last != 0 {
			t.entries[t.last] = entry
			return t.last
		}
	}
}

// Get returns the entry with the given number; ok is false if the table doesn't have it.
func (t *Table[T]) Get(number uintptr) (entry T, ok bool) {
	entry, ok = t.entries[number]
	return entry, ok
}

// Take removes and returns the entry with the given number; ok is false if the table doesn't have it.
func (t *Table[T]) Take(number uintptr) (entry T, ok bool) {
	entry, ok = t.entries[number]
	delete(t.entries, number)
	return entry, ok
}

// Renew gives an entry another number, and returns that. number is the present one, and must be in the table.
func (t *Table[T]) Renew(number uintptr) uintptr {
	entry, _ := t.Take(number)
	return t.Put(entry)
}

// Len returns how many entries there are.
func (t *Table[T]) Len() int { return len(t.entries) }

// All returns the entries with their numbers. An entry may be taken while it is visited.
func (t *Table[T]) All() iter.Seq2[uintptr, T] { return maps.All(t.entries) }
