package queue

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Slots that became free in any order are used again row by row.
func TestSlotsAreUsedRowByRow(t *testing.T) {
	const n = 100 * rowLen
	q := few()
	keys := make([]Key, n)
	for i := range keys {
		keys[i] = q.Arm(time.Duration(i), nop)
	}
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(n) {
		q.Take(keys[i])
	}
	used, changes, last := map[int32]bool{}, 0, int32(none)
	for range n {
		i := q.Push(nop).slot()
		if used[i] {
			t.Fatalf("slot %d given out twice", i)
		}
		used[i] = true
		if i>>rowBits != last {
			last = i >> rowBits
			changes++
		}
	}
	if len(q.slots) != n || changes > n/rowLen+2 { // the slot that is in no row is used first
		t.Errorf("%d slots; the row changed %d times", len(q.slots), changes)
	}
}

// Slots that became free are used before new ones.
func TestHotSlot(t *testing.T) {
	q := few()
	keys := make([]Key, 10)
	for i := range keys {
		keys[i] = q.Arm(time.Duration(i), nop)
	}
	for _, i := range []int{7, 3} {
		q.Take(keys[i])
	}
	for _, want := range []int32{7, 3, 10} {
		if got := q.Push(nop).slot(); got != want {
			t.Errorf("slot %d, want %d", got, want)
		}
	}
}

// Every entry of a row is used before another row is made.
func TestEntriesAreUsedUp(t *testing.T) {
	for name, take := range map[string]func(*Entries) *Entry{
		"own":    func(p *Entries) *Entry { return p.Own(nop) },
		"shared": func(p *Entries) *Entry { return p.Shared(nop) },
	} {
		var p Entries
		for n := range 3 * rowLen {
			if take(&p); len(p.rows) != n/rowLen+1 {
				t.Fatalf("%s: %d rows for %d entries of %d", name, len(p.rows), n+1, rowLen)
			}
		}
	}
}
