//go:build !386 && !arm && !mips && !mipsle

package registry

import "iter"

// Table holds entries by their numbers. The zero Table is empty and ready. Its memory grows to the largest number of entries
// that it had at once, and never shrinks. It must not be used by several goroutines at the same time.
type Table[T any] struct {
	slots []slot[T]
	free  []uint32
}

type slot[T any] struct {
	entry T
	gen   uint32
	used  bool
}

// number returns the number of the entry in p, the slot with the given index: the generation of the slot, and the index plus 1,
// so that it isn't 0.
func (p *slot[T]) number(at uint32) uintptr { return uintptr(p.gen)<<32 | uintptr(at+1) }

// Put adds an entry and returns its number, which isn't 0.
func (t *Table[T]) Put(entry T) uintptr {
	var at uint32
	if n := len(t.free); n > 0 {
		at = t.free[n-1]
		t.free = t.free[:n-1]
	} else {
		at = uint32(len(t.slots))
		t.slots = append(t.slots, slot[T]{})
	}
	p := &t.slots[at]
	p.entry, p.used = entry, true
	return p.number(at)
}

// Get returns the entry with the given number; ok is false if the table doesn't have it.
func (t *Table[T]) Get(number uintptr) (entry T, ok bool) {
	if p := t.find(number); p != nil {
		return p.entry, true
	}
	return entry, false
}

// Take removes and returns the entry with the given number; ok is false if the table doesn't have it.
func (t *Table[T]) Take(number uintptr) (entry T, ok bool) {
	p := t.find(number)
	if p == nil {
		return entry, false
	}
	entry = p.entry
	*p = slot[T]{gen: p.gen + 1}
	t.free = append(t.free, uint32(number)-1)
	return entry, true
}

// Renew gives an entry another number, and returns that. number is the present one, and must be in the table.
func (t *Table[T]) Renew(number uintptr) uintptr {
	at := uint32(number) - 1
	p := &t.slots[at]
	p.gen++
	return p.number(at)
}

// Len returns how many entries there are.
func (t *Table[T]) Len() int { return len(t.slots) - len(t.free) }

// All returns the entries with their numbers. An entry may be taken while it is visited.
func (t *Table[T]) All() iter.Seq2[uintptr, T] {
	return func(yield func(uintptr, T) bool) {
		for at := range t.slots {
			if p := &t.slots[at]; p.used && !yield(p.number(uint32(at)), p.entry) {
				return
			}
		}
	}
}

func (t *Table[T]) find(number uintptr) *slot[T] {
	at := uint32(number) - 1 // number 0 gives an index beyond any table
	if int64(at) >= int64(len(t.slots)) {
		return nil
	}
	if p := &t.slots[at]; p.used && p.gen == uint32(number>>32) {
		return p
	}
	return nil
}
