package queue

import (
	"math"
	"testing"
)

// inbound puts fn into b as another goroutine does.
func inbound(p *Entries, b *Inbox, fn func()) (k Key, wake, ok bool) {
	e := p.Shared(fn)
	k = e.Key()
	if wake, ok = b.Push(e); !ok {
		p.Refused(e)
	}
	return k, wake, ok
}

func TestRingKeepsTheOrder(t *testing.T) {
	var (
		p    Entries
		r    Ring
		ran  []int
		want []int
	)
	for i := range 5 * ringLen {
		e := p.Own(func() { ran = append(ran, i) })
		r.Push(e)
		if i%5 == 0 {
			if !p.Cancel(e.Key()) || p.Cancel(e.Key()) {
				t.Errorf("%d isn't cancelled once", i)
			}
		} else {
			want = append(want, i)
		}
		if i%3 == 0 { // the ring turns
			if fn := r.Pop(r.Mark(), &p); fn != nil {
				fn()
			}
		}
	}
	for fn := r.Pop(r.Mark(), &p); fn != nil; fn = r.Pop(r.Mark(), &p) {
		fn()
	}
	for i := range want {
		if len(ran) != len(want) || ran[i] != want[i] {
			t.Fatalf("ran %v, want %v", ran, want)
		}
	}
	if !r.Empty(&p) || r.Pop(r.Mark(), &p) != nil {
		t.Error("not empty")
	}
}

func TestPopStopsAtTheMark(t *testing.T) {
	var p Entries
	var r Ring
	mark := r.Mark()
	e := p.Own(nop)
	r.Push(e)
	if r.Pop(mark, &p) != nil || r.Empty(&p) {
		t.Error("took what came after the mark")
	}
	p.Cancel(e.Key())
	if !r.Empty(&p) || r.Pop(mark, &p) != nil { // the head is beyond the mark
		t.Error("took what was cancelled")
	}
}

// An entry is used again, under another key, by those it belongs to.
func TestEntriesAreUsedAgain(t *testing.T) {
	var p Entries
	var r Ring
	var b Inbox
	own := p.Own(nop)
	r.Push(own)
	k, _, _ := inbound(&p, &b, nop)
	if b.Take(&r); own.Key() == k || !k.IsEntry() || !p.Valid(k) {
		t.Fatalf("keys %#x, %#x", own.Key(), k)
	}
	before := own.Key()
	r.Clear(&p)
	p.GiveBack()
	if e := p.Own(nop); e != own || e.Key() == before {
		t.Error("the owner doesn't use its entry again")
	}
	for range 5 * rowLen {
		again, _, _ := inbound(&p, &b, nop)
		if b.Take(&r); again == k || !p.Cancel(again) {
			t.Errorf("key %#x after %#x", again, k)
		}
		r.Clear(&p)
		p.GiveBack()
	}
	if p.Valid(before) || p.Cancel(k) || p.Valid(k) {
		t.Error("an old key is valid")
	}
	if far := before + 1000; p.Valid(far) || p.Cancel(far) {
		t.Error("a key that was never given out is valid")
	}
	if len(p.rows) != 2 {
		t.Errorf("%d rows for two entries", len(p.rows))
	}
}

// A free entry holds nothing of the callback that was in it, whether that ran or not.
func TestFreeEntriesHoldNothing(t *testing.T) {
	var p Entries
	var r Ring
	ran, cancelled, dropped := p.Own(nop), p.Own(nop), p.Shared(nop)
	r.Push(ran)
	if r.Pop(r.Mark(), &p) == nil {
		t.Fatal("nothing ran")
	}
	r.Push(cancelled)
	p.Cancel(cancelled.Key())
	r.Push(dropped)
	r.Clear(&p)
	for name, e := range map[string]*Entry{"ran": ran, "cancelled": cancelled, "dropped": dropped} {
		if e.fn != nil {
			t.Errorf("the entry of what was %s holds it", name)
		}
	}
}

// An entry that a closed inbox refuses is free at once, for others than the owner.
func TestRefusedEntriesAreUsedAgain(t *testing.T) {
	var p Entries
	var b Inbox
	b.Close()
	for range 2 * rowLen {
		k, _, ok := inbound(&p, &b, nop)
		if ok || p.Valid(k) {
			t.Fatal("a closed inbox takes it")
		}
	}
	if len(p.rows) != 1 || p.shared.fn != nil {
		t.Errorf("%d rows for one entry at a time; the free one holds a callback: %v", len(p.rows), p.shared.fn != nil)
	}
}

// An entry whose keys are used up is not used again.
func TestEntryRetires(t *testing.T) {
	var p Entries
	var r Ring
	e := p.Own(nop)
	r.Push(e)
	r.Clear(&p)
	e.now.Store(uint64(Key(math.MaxUint32)<<slotBits | Key(uint32(e.key))))
	if p.Own(nop) != e {
		t.Fatal("another entry")
	}
	r.Push(e)
	r.Clear(&p)
	if next := p.Own(nop); next == e {
		t.Error("its keys begin again")
	}
}

func TestInbox(t *testing.T) {
	var (
		p    Entries
		r    Ring
		b    Inbox
		last int
	)
	if b.Take(&r) || !b.Quiet() {
		t.Error("something in the zero Inbox")
	}
	for range 2 {
		if !b.Park() || b.Quiet() {
			t.Error("an empty inbox can't be parked at")
		}
	}
	for i := range 3 {
		if _, wake, ok := inbound(&p, &b, func() { last = i }); !ok || wake != (i == 0) {
			t.Errorf("push %d: wake %v, ok %v", i, wake, ok)
		}
	}
	if b.Park() || b.Close() {
		t.Error("parked or closed with something in it")
	}
	if b.Take(&r) {
		t.Error("not woken, though somebody was told to wake")
	}
	for i := range 3 {
		if fn := r.Pop(r.Mark(), &p); fn == nil {
			t.Fatalf("%d is missing", i)
		} else if fn(); last != i {
			t.Errorf("%d runs, want %d", last, i)
		}
	}
	if b.Park(); !b.Take(&r) || !b.Quiet() {
		t.Error("who parked and came back by itself isn't told")
	}
	b.Park()
	for range 2 {
		if !b.Close() {
			t.Error("not closed")
		}
	}
	if _, wake, ok := inbound(&p, &b, nop); ok || wake {
		t.Error("pushed to a closed inbox")
	}
	if b.Take(&r) || b.Quiet() {
		t.Error("opened by Take")
	}
}
