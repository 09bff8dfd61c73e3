package debug

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/observe"
)

// book keeps the records of runs: of the live ones, and of some that have ended.
type book struct {
	options Options
	guards  atomic.Pointer[[]guard] // replaced as a whole: it is read at every start of a step

	mu     sync.Mutex
	live   map[uint64]*record // by observe.Run.ID
	others int                // live runs beyond Options.Live
	failed ring[*record]
	good   ring[*record]
}

func newBook(o Options) *book {
	b := &book{
		options: o, live: make(map[uint64]*record),
		failed: ring[*record]{limit: o.Ended}, good: ring[*record]{limit: o.Ended},
	}
	b.guards.Store(new([]guard))
	return b
}

// open makes a record of a run that begins.
func (b *book) open(run observe.Run) observe.Watch {
	r := &record{
		book: b, run: run, begun: b.options.Clock(),
		events: ring[happening]{limit: b.options.Events},
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.live) >= b.options.Live {
		b.others++
		return r.glance
	}
	b.live[run.ID] = r
	return r.watch
}

// close moves a record to those of runs that have ended.
func (b *book) close(r *record, failed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, listed := b.live[r.run.ID]; listed {
		delete(b.live, r.run.ID)
	} else {
		b.others--
	}
	if failed {
		b.failed.add(r)
	} else {
		b.good.add(r)
	}
}

// running gives the records of live runs, oldest first, and how many live
// runs have none.
func (b *book) running() (all []*record, others int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all = slices.SortedFunc(maps.Values(b.live), func(a, b *record) int { return cmp.Compare(a.run.ID, b.run.ID) })
	return all, b.others
}

// over gives the records of runs that have ended, latest first.
func (b *book) over() []*record {
	b.mu.Lock()
	all := append(b.failed.all(), b.good.all()...)
	b.mu.Unlock()
	ended := func(r *record) time.Duration {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.end.at
	}
	slices.SortStableFunc(all, func(a, b *record) int { return cmp.Compare(ended(b), ended(a)) })
	return all
}

// find gives the record of a run, nil if there is none.
func (b *book) find(id uint64) *record {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.live[id]; r != nil {
		return r
	}
	for _, r := range append(b.failed.all(), b.good.all()...) {
		if r.run.ID == id {
			return r
		}
	}
	return nil
}
