package queue

import (
	"math"
	"testing"
)

// inbound puts fn into b as another goroutine does.
func inbound(p *Entries, b *Inbox, fn func()) (k Key, wake, ok bool) {
	e := p.Shared(fn)
	k = e.Key()
	if wake, ok = b.Push(&e.Item); !ok {
		p.Refused(e)
	}
	return k, wake, ok
}

func pop(r *Ring, p *Entries) func() { return popTo(r.Mark(), r, p) }

func popTo(mark uint64, r *Ring, p *Entries) func() {
	fn, _ := next(mark, r, p)
	return fn
}

func next(mark uint64, r *Ring, p *Entries) (fn func(), run Runner) {
	for x := r.Next(mark); x != nil; x = r.Next(mark) {
		e, callback := x.Callback()
		if !callback {
			return nil, x.Runner()
		}
		if fn := p.Take(e); fn != nil {
			return fn, nil
		}
	}
	return nil, nil
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
		r.Push(&e.Item)
		if i%5 == 0 {
			if !p.Cancel(e.Key()) || p.Cancel(e.Key()) {
				t.Errorf("%d isn't cancelled once", i)
			}
		} else {
			want = append(want, i)
		}
		if i%3 == 0 { // so that positions in the ring wrap around
			if fn := pop(&r, &p); fn != nil {
				fn()
			}
		}
	}
	for fn := pop(&r, &p); fn != nil; fn = pop(&r, &p) {
		fn()
	}
	for i := range want {
		if len(ran) != len(want) || ran[i] != want[i] {
			t.Fatalf("ran %v, want %v", ran, want)
		}
	}
	if !r.Empty(&p) || pop(&r, &p) != nil {
		t.Error("not empty")
	}
}

func TestPopStopsAtTheMark(t *testing.T) {
	var p Entries
	var r Ring
	mark := r.Mark()
	e := p.Own(nop)
	r.Push(&e.Item)
	if popTo(mark, &r, &p) != nil || r.Empty(&p) {
		t.Error("took what came after the mark")
	}
	p.Cancel(e.Key())
	if !r.Empty(&p) || popTo(mark, &r, &p) != nil { // the head is beyond the mark
		t.Error("took what was cancelled")
	}
}

// An entry that was made for the owner, or for the other goroutines, is used again by them, with another key.
func TestEntriesAreUsedAgain(t *testing.T) {
	var p Entries
	var r Ring
	var b Inbox
	own := p.Own(nop)
	r.Push(&own.Item)
	k, _, _ := inbound(&p, &b, nop)
	if b.Take(&r, new(Starts)); own.Key() == k || !k.IsEntry() || !p.Valid(k) {
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
		if b.Take(&r, new(Starts)); again == k || !p.Cancel(again) {
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

// A free entry refers to nothing of its former callback, whether that was executed or not.
func TestFreeEntriesHoldNothing(t *testing.T) {
	var p Entries
	var r Ring
	ran, cancelled, dropped := p.Own(nop), p.Own(nop), p.Shared(nop)
	r.Push(&ran.Item)
	if pop(&r, &p) == nil {
		t.Fatal("nothing ran")
	}
	r.Push(&cancelled.Item)
	p.Cancel(cancelled.Key())
	r.Push(&dropped.Item)
	r.Clear(&p)
	for name, e := range map[string]*Entry{"ran": ran, "cancelled": cancelled, "dropped": dropped} {
		if e.fn != nil {
			t.Errorf("the entry of what was %s holds it", name)
		}
	}
}

// An entry that a closed inbox refuses is free at once.
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
	if len(p.rows) != 1 || p.shared.run.(*Entry).fn != nil {
		t.Errorf("%d rows for one entry at a time; the free one holds a callback: %v", len(p.rows), p.shared.run.(*Entry).fn != nil)
	}
}

func TestEntryRetires(t *testing.T) {
	var p Entries
	var r Ring
	e := p.Own(nop)
	r.Push(&e.Item)
	r.Clear(&p)
	e.now.Store(uint64(Key(math.MaxUint32)<<slotBits | Key(uint32(e.key))))
	if p.Own(nop) != e {
		t.Fatal("another entry")
	}
	r.Push(&e.Item)
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
	if b.Take(&r, new(Starts)) || !b.Quiet() {
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
	if b.Take(&r, new(Starts)) {
		t.Error("not woken, though somebody was told to wake")
	}
	for i := range 3 {
		if fn := pop(&r, &p); fn == nil {
			t.Fatalf("%d is missing", i)
		} else if fn(); last != i {
			t.Errorf("%d runs, want %d", last, i)
		}
	}
	if b.Park(); !b.Take(&r, new(Starts)) || !b.Quiet() {
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
	if b.Take(&r, new(Starts)) || b.Quiet() {
		t.Error("opened by Take")
	}
}

type turns int

func (n *turns) Turn() { *n++ }

// An item keeps its place among the callbacks, and can be posted again after it was taken.
func TestItemKeepsItsPlace(t *testing.T) {
	var (
		p Entries
		r Ring
		b Inbox
		x Item
		n turns
	)
	x.Init(&n)
	for range 3 {
		r.Push(&p.Own(nop).Item)
		if _, ok := b.Push(&x); !ok || !x.Queued() {
			t.Fatal("not queued")
		}
		b.Take(&r, new(Starts))
		r.Push(&p.Own(nop).Item)
		for i := range 3 {
			fn, run := next(r.Mark(), &r, &p)
			if (fn == nil) != (i == 1) || (run == nil) != (i != 1) {
				t.Fatalf("place %d: callback %t, item %t", i, fn != nil, run != nil)
			}
			if run != nil {
				run.Turn()
			}
		}
		if x.Queued() || !r.Empty(&p) {
			t.Error("still queued")
		}
	}
	if n != 3 {
		t.Errorf("%d turns", n)
	}
}

// An item that was removed isn't taken, also if the ring has moved it, and its neighbours are.
func TestRemove(t *testing.T) {
	for others := range 3 * ringLen {
		var (
			p Entries
			r Ring
			x Item
		)
		x.Init(new(turns))
		r.Push(&x)
		for range others { // so that the ring grows
			r.Push(&p.Own(nop).Item)
		}
		r.Remove(&x)
		if x.Queued() || r.Empty(&p) != (others == 0) {
			t.Fatalf("%d others: queued %t, empty %t", others, x.Queued(), r.Empty(&p))
		}
		for i := range others {
			if fn, run := next(r.Mark(), &r, &p); fn == nil || run != nil {
				t.Fatalf("%d others: number %d is gone", others, i)
			}
		}
		if fn, run := next(r.Mark(), &r, &p); fn != nil || run != nil {
			t.Errorf("%d others: took what was removed", others)
		}
	}
}

// An item that was refused is in no queue, and after Clear no item is in the queue.
func TestItemIsFree(t *testing.T) {
	var (
		p    Entries
		r    Ring
		b    Inbox
		x, y Item
	)
	x.Init(new(turns))
	y.Init(new(turns))
	r.Push(&x)
	r.Push(&y)
	r.Clear(&p)
	b.Close()
	if _, ok := b.Push(&x); ok || x.Queued() || y.Queued() || !b.Closed() {
		t.Errorf("taken %t, queued %t, %t", ok, x.Queued(), y.Queued())
	}
}
