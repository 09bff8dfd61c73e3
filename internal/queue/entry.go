package queue

import (
	"math"
	"sync"
	"sync/atomic"
)

// Item is an element of a [Ring], an [Inbox] or a [Starts]. Embed an Item in a type that is queued again and again, so that
// queueing it needs no [Entry]. An Item is in one queue at most.
type Item struct {
	run  Runner // what is called; an *Entry if the item is a callback
	next *Item  // the next item in the inbox, in the starts, or in a list of free entries
	at   uint64 // 0 if not queued; posted or starting if queued outside of a ring; in a ring, 1 more than the number of its place
}

// Runner is the code that an [Item] runs when its turn comes.
type Runner interface{ Turn() }

// posted is the value of Item.at while the item is queued outside of a [Ring], unless the item is a start.
const posted = math.MaxUint64

// Init sets the Runner of x.
func (x *Item) Init(run Runner) { x.run = run }

// Runner returns the Runner of x.
func (x *Item) Runner() Runner { return x.run }

// Callback returns the [Entry] in which x is embedded. ok is false if x is embedded in another type.
func (x *Item) Callback() (e *Entry, ok bool) {
	e, ok = x.run.(*Entry)
	return e, ok
}

// Queued reports whether x is queued. Only the owner of the loop may call it.
func (x *Item) Queued() bool { return x.at != 0 }

// Post marks x as queued outside of a [Ring].
func (x *Item) Post() { x.at = posted }

// Take marks x as not queued.
func (x *Item) Take() { x.at = 0 }

// Entry is an immediate callback of a loop. An Entry is in the loop's [Ring], in its [Inbox] on the way there, or
// free.
type Entry struct {
	Item
	fn     func()
	key    Key           // the key of fn
	now    atomic.Uint64 // the key of the callback that waits here or, if none does, of the next one
	shared bool          // made for goroutines other than the loop's owner
}

// entryKey is a bit that is set in the keys of entries, and in no slot number of a [Queue].
const entryKey Key = 1 << 31

// IsEntry reports whether k names an [Entry]. Otherwise it names a slot of a [Queue].
func (k Key) IsEntry() bool { return k&entryKey != 0 }

// Turn is never called: [Entries.Take] returns the callback of an Entry.
func (e *Entry) Turn() {}

// Entries makes entries and keeps the free ones in two lists: one for the goroutine that owns the loop, without a
// lock, and one that all other goroutines share. The owner collects the shared entries that have left the ring, and
// returns them to their list from time to time.
//
// Entry.now decides whether a callback runs or is cancelled: Take and Cancel both try to replace the callback's key there,
// and only one of them succeeds. A cancelled entry stays in its queue until the owner reaches it.
type Entries struct {
	own            *Item // free entries of the owner
	back, backLast *Item // free shared entries that the owner has not given back yet
	owed           int   // the length of back

	mu     sync.Mutex
	rows   []*[rowLen]Entry
	shared *Item // free entries for all other goroutines
}

// Own returns a free entry for fn. Only the owner of the loop may call it.
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

// Shared returns a free entry for fn. Any goroutine may call it.
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

// Key returns the key of the callback in the entry. A goroutine that doesn't own the loop must call it before it pushes
// the entry.
func (e *Entry) Key() Key { return e.key }

func (e *Entry) use(fn func()) *Entry {
	e.fn = fn
	e.key = Key(e.now.Load())
	return e
}

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

func (p *Entries) find(k Key) *Entry {
	i := uint32(k &^ entryKey)
	p.mu.Lock()
	defer p.mu.Unlock()
	if uint64(i>>rowBits) >= uint64(len(p.rows)) {
		return nil
	}
	return &p.rows[i>>rowBits][i%rowLen]
}

// Cancel cancels the callback named k, and reports whether it was still waiting. Any goroutine may call it.
func (p *Entries) Cancel(k Key) bool {
	e := p.find(k)
	return e != nil && e.invalidate(k)
}

// Valid reports whether the callback named k is still waiting. Any goroutine may call it.
func (p *Entries) Valid(k Key) bool {
	e := p.find(k)
	return e != nil && e.now.Load() == uint64(k)
}

// invalidate replaces k, the present key of the entry, by the next one. It reports false if k was replaced before.
func (e *Entry) invalidate(k Key) bool {
	return e.now.CompareAndSwap(uint64(k), uint64(k+1<<slotBits))
}

// Take frees e, which has left its queue, and returns the callback of e, or nil if the callback was cancelled. Only the
// owner may call it.
func (p *Entries) Take(e *Entry) func() {
	fn, waited := e.fn, e.invalidate(e.key)
	p.free(e)
	if !waited {
		return nil
	}
	return fn
}

func (p *Entries) free(e *Entry) {
	e.fn = nil
	if e.now.Load()>>slotBits == 0 {
		return // the keys of this entry are used up, and no key may be used twice
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

// lend is how many shared entries the owner collects before it takes the lock to give them back.
const lend = rowLen / 2

// Owes reports whether the owner has collected lend entries or more. Only the owner may call it.
func (p *Entries) Owes() bool { return p.owed >= lend }

// GiveBack returns the collected entries to the shared list if [Entries.Owes] reports true. Only the owner may call it.
func (p *Entries) GiveBack() {
	if !p.Owes() {
		return
	}
	p.mu.Lock()
	p.backLast.next, p.shared = p.shared, p.back
	p.mu.Unlock()
	p.back, p.backLast, p.owed = nil, nil, 0
}

// Refused takes back an entry from [Entries.Shared] that no queue has accepted. Any goroutine may call it.
func (p *Entries) Refused(e *Entry) {
	e.invalidate(e.key)
	p.mu.Lock()
	defer p.mu.Unlock()
	e.fn = nil
	e.next, p.shared = p.shared, &e.Item
}
