package queue

import (
	"math"
	"sync"
	"sync/atomic"
)

// Item is what a [Ring] and an [Inbox] queue. Embed one in what is to be called again and again: to queue it
// allocates nothing. An Item is in one queue at a time.
type Item struct {
	run  Runner // *Entry: a callback
	next *Item  // in the inbox, or in a list of free entries
	at   uint64 // in a ring: the count of its place, plus one; the owner's while it is in one
}

// Runner is what an [Item] stands for.
type Runner interface{ Turn() }

// posted is Item.at on the way to the ring.
const posted = math.MaxUint64

// Init says what x stands for.
func (x *Item) Init(run Runner) { x.run = run }

// Queued reports whether x is queued. It is for the owner.
func (x *Item) Queued() bool { return x.at != 0 }

// Post and Take say that x is queued somewhere else than in a [Ring], and that it isn't any more.
func (x *Item) Post() { x.at = posted }

// Take is the reverse of Post.
func (x *Item) Take() { x.at = 0 }

// Entry is an immediate of a loop: in its [Ring], on the way there in its [Inbox], or free.
type Entry struct {
	Item
	fn     func()
	key    Key           // of fn
	now    atomic.Uint64 // the key of what waits here, or of what will wait here next
	shared bool          // it belongs to the other goroutines
}

// entryKey marks the keys of entries; no slot of a [Queue] has such a number.
const entryKey Key = 1 << 31

// IsEntry reports whether k names an entry, not a slot of a [Queue].
func (k Key) IsEntry() bool { return k&entryKey != 0 }

// Turn is never called: [Ring.Pop] gives the callback of an Entry.
func (e *Entry) Turn() {}

// Entries makes entries and keeps free ones. The goroutine that owns the loop has a list of its own, without a lock, and
// gives entries of the others back from time to time.
//
// Who moves Entry.now away from a key decides what becomes of the callback of that name: the owner, who runs it, or
// whoever cancels it. A cancelled entry stays in its list until the owner comes to it.
type Entries struct {
	own            *Item // free, the owner's
	back, backLast *Item // free, to be given back
	owed           int   // how many

	mu     sync.Mutex
	rows   []*[rowLen]Entry
	shared *Item // free, for all others
}

// Own returns a free entry for fn. It is for the owner.
func (p *Entries) Own(fn func()) *Entry {
	if p.own == nil {
		p.mu.Lock()
		p.own = p.grow(false)
		p.mu.Unlock()
	}
	x := p.own
	p.own, x.next = x.next, nil
	return x.run.(*Entry).use(fn)
}

// Shared returns a free entry for fn. It is for any goroutine.
func (p *Entries) Shared(fn func()) *Entry {
	p.mu.Lock()
	if p.shared == nil {
		p.shared = p.grow(true)
	}
	x := p.shared
	p.shared, x.next = x.next, nil
	p.mu.Unlock()
	return x.run.(*Entry).use(fn)
}

// Key returns the name of the callback in the entry. Who doesn't own the loop asks before the entry is pushed.
func (e *Entry) Key() Key { return e.key }

func (e *Entry) use(fn func()) *Entry {
	e.fn = fn
	e.key = Key(e.now.Load())
	return e
}

// grow makes a list of free entries; mu is held.
func (p *Entries) grow(shared bool) (first *Item) {
	row := new([rowLen]Entry)
	base := Key(len(p.rows)) << rowBits
	p.rows = append(p.rows, row)
	for i := rowLen - 1; i >= 0; i-- {
		e := &row[i]
		e.shared = shared
		e.now.Store(uint64(1<<slotBits | entryKey | base | Key(i)))
		e.run = e
		e.next, first = first, &e.Item
	}
	return first
}

// find returns the entry that k may name, nil if there is none.
func (p *Entries) find(k Key) *Entry {
	i := uint32(k &^ entryKey)
	p.mu.Lock()
	defer p.mu.Unlock()
	if uint64(i>>rowBits) >= uint64(len(p.rows)) {
		return nil
	}
	return &p.rows[i>>rowBits][i%rowLen]
}

// Cancel reports whether k waited; it doesn't any more. Any goroutine.
func (p *Entries) Cancel(k Key) bool {
	e := p.find(k)
	return e != nil && e.end(k)
}

// Valid reports whether k waits. Any goroutine.
func (p *Entries) Valid(k Key) bool {
	e := p.find(k)
	return e != nil && e.now.Load() == uint64(k)
}

// end moves the entry on from k, and reports false if it was moved already.
func (e *Entry) end(k Key) bool {
	return e.now.CompareAndSwap(uint64(k), uint64(k+1<<slotBits))
}

// take empties an entry that has left its list, and returns its callback, nil if that was cancelled. It is for the owner.
func (p *Entries) take(e *Entry) func() {
	fn, waited := e.fn, e.end(e.key)
	p.free(e)
	if !waited {
		return nil
	}
	return fn
}

// free is for the owner.
func (p *Entries) free(e *Entry) {
	e.fn = nil
	if e.now.Load()>>slotBits == 0 {
		return // its keys are used up, and none may come back
	}
	if !e.shared {
		e.next, p.own = p.own, &e.Item
		return
	}
	if p.back == nil {
		p.backLast = &e.Item
	}
	e.next, p.back = p.back, &e.Item
	p.owed++
}

// lend is how many entries of the others the owner keeps before it takes the lock to give them back.
const lend = rowLen / 2

// Owes reports whether the owner keeps so many of them. It is for the owner.
func (p *Entries) Owes() bool { return p.owed >= lend }

// GiveBack lets the others use their entries again, once they are many. It is for the owner.
func (p *Entries) GiveBack() {
	if !p.Owes() {
		return
	}
	p.mu.Lock()
	p.backLast.next, p.shared = p.shared, p.back
	p.mu.Unlock()
	p.back, p.backLast, p.owed = nil, nil, 0
}

// Refused takes back an entry that [Entries.Shared] has made and no list has taken. Any goroutine.
func (p *Entries) Refused(e *Entry) {
	e.end(e.key)
	p.mu.Lock()
	defer p.mu.Unlock()
	e.fn = nil
	e.next, p.shared = p.shared, &e.Item
}
