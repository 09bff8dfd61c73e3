package debug

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
)

// book keeps the records of up to Options.Live live runs, and of some runs that have ended. Events of the runs update the
// records and the figures of plans.
type book struct {
	options  Options
	plans    plans
	guards   atomic.Pointer[[]*guard] // replaced as a whole, so it is read without a lock
	failures *failures

	mu     sync.Mutex
	known  map[uint64]*record // the records that are kept, by observe.Run.ID
	first  *record            // the records of the listed live runs, in the order of their IDs
	last   *record
	live   int
	others int // live runs beyond Options.Live
	ended  ended
}

func newBook(o Options) *book {
	b := &book{
		options: o, known: make(map[uint64]*record),
		ended: newEnded(o),
	}
	b.guards.Store(new([]*guard))
	return b
}

func (b *book) open(run observe.Run, cancel context.CancelCauseFunc) observe.Watch {
	r := &record{
		book: b, run: run, plan: b.plans.of(run), begun: b.options.Clock(), cancel: cancel,
		events: ring[happening]{limit: b.options.Events}, past: ring[life]{limit: b.options.Spans},
	}
	r.plan.begin()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live >= b.options.Live {
		b.others++
		return r.glance
	}
	b.insert(r)
	return r.watch
}

// insert adds r to the listed live runs, in the order of IDs. Runs are started by many goroutines, so a run may come after one
// with a higher ID.
func (b *book) insert(r *record) {
	b.known[r.run.ID] = r
	b.live++
	r.listed = true
	after := b.last
	for after != nil && after.run.ID > r.run.ID {
		after = after.prev
	}
	r.prev = after
	if after == nil {
		r.next, b.first = b.first, r
	} else {
		r.next, after.next = after.next, r
	}
	if r.next == nil {
		b.last = r
	} else {
		r.next.prev = r
	}
}

func (b *book) remove(r *record) {
	if r.prev == nil {
		b.first = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		b.last = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.prev, r.next, r.listed = nil, nil, false
	b.live--
}

// close moves a record to the runs that have ended.
func (b *book) close(r *record, at time.Duration, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.listed {
		b.remove(r)
	} else {
		b.others--
		b.known[r.run.ID] = r
	}
	for _, dropped := range b.ended.add(r, at, failed) {
		delete(b.known, dropped.run.ID)
	}
}

// running returns the records of the listed live runs, oldest first, and how many live runs aren't listed.
func (b *book) running() (all []*record, others int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all = make([]*record, 0, b.live)
	for r := b.first; r != nil; r = r.next {
		all = append(all, r)
	}
	return all, b.others
}

func (b *book) over() []*record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ended.all()
}

func (b *book) find(id uint64) *record {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.known[id]
}
