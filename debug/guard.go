package debug

import (
	"sync"
	"time"

	machine "github.com/futoin-go/asyncsteps/internal/guard"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/syncx"
)

// guard is a syncx.Guard with the name that pages show, and the sections of listed runs that are inside or queued. Times are
// those of Options.Clock.
type guard struct {
	name    string
	number  int    // among all guards that were ever shown, from 1
	problem string // why it isn't well formed, or ""
	syncx.Guard

	mu       sync.Mutex
	inside   entries
	queue    entries
	entered  uint64
	rejected uint64
	waits    recent // how long sections waited before they entered
	enters   rate
	rejects  rate
	history  ring[guardSample]
}

// newGuard makes the guard that stands for g. It calls Err of g, which may take long, so that pages needn't call Err.
func newGuard(name string, number int, g syncx.Guard) *guard {
	made := &guard{name: name, number: number, Guard: g, history: ring[guardSample]{limit: maxSamples}}
	if checked, ok := g.(interface{ Err() error }); ok {
		made.problem = brief(checked.Err())
	}
	made.Guard = machine.Unwrap(g) // the guard that has the counts
	return made
}

type guardSample struct {
	inside, queued int
	rejects        float64 // per second
}

// entry is a section at its guard. The fields up to in are set before other goroutines see the entry. The lock of the guard
// guards the other fields.
type entry struct {
	guard             *guard
	record            *record
	path, label, kind string
	in                string // see stepView

	list       *entries // nil once the section has left or was rejected
	prev, next *entry
	since      time.Duration // when the entry was put into list
}

// entries is a list of entries, the oldest first.
type entries struct {
	first, last *entry
	count       int
}

func (l *entries) add(e *entry, at time.Duration) {
	e.list, e.prev, e.next, e.since = l, l.last, nil, at
	if l.last == nil {
		l.first = e
	} else {
		l.last.next = e
	}
	l.last = e
	l.count++
}

func (e *entry) unlink() {
	l := e.list
	if l == nil {
		return
	}
	if e.prev == nil {
		l.first = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.last = e.prev
	} else {
		e.next.prev = e.prev
	}
	l.count--
	e.list = nil
}

// begin lists a section as inside. If the section has to wait, or is rejected, its next event says so,
// and the list is corrected then.
func (g *guard) begin(r *record, l *life, in string) *entry {
	e := &entry{guard: g, record: r, path: l.path, label: l.label, kind: l.kind, in: in}
	at := r.begun + l.from
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside.add(e, at)
	g.count(at, 0)
	return e
}

func (g *guard) count(at, waited time.Duration) {
	g.entered++
	g.waits.add(at, waited)
	g.enters.add(at)
}

// uncount undoes the count of begin.
func (g *guard) uncount(at time.Duration) {
	g.entered--
	g.waits.undo()
	g.enters.undo(at)
}

func (e *entry) queue(at time.Duration) {
	e.guard.mu.Lock()
	defer e.guard.mu.Unlock()
	if e.list == &e.guard.inside {
		e.guard.uncount(at)
		e.unlink()
		e.guard.queue.add(e, at)
	}
}

func (e *entry) enter(at time.Duration) {
	e.guard.mu.Lock()
	defer e.guard.mu.Unlock()
	if e.list == &e.guard.queue {
		e.guard.count(at, at-e.since)
		e.unlink()
		e.guard.inside.add(e, at)
	}
}

func (e *entry) reject(at time.Duration) {
	g := e.guard
	g.mu.Lock()
	defer g.mu.Unlock()
	if e.list == nil {
		return
	}
	if e.list == &g.inside {
		g.uncount(at)
	}
	e.unlink()
	g.rejected++
	g.rejects.add(at)
}

func (e *entry) leave() {
	e.guard.mu.Lock()
	defer e.guard.mu.Unlock()
	e.unlink()
}

// guardOf returns the shown guard that the step of e is a section of, or nil.
func (b *book) guardOf(e observe.Event) *guard {
	for _, g := range *b.guards.Load() {
		if observe.IsSection(e, g.Guard) {
			return g
		}
	}
	return nil
}

type counting interface {
	Inside() int
	Queued() int
}

// counts returns how many flows are inside and queued. If the guard can't tell, these are the lengths of the lists.
func (g *guard) counts() (inside, queued int) {
	if asked, ok := g.Guard.(counting); ok && g.problem == "" {
		return asked.Inside(), asked.Queued()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside.count, g.queue.count
}

// capacity returns how many flows the guard lets in, or 0 if it doesn't report that.
func (g *guard) capacity() int {
	if bounded, ok := g.Guard.(interface{ Capacity() int }); ok && g.problem == "" {
		return bounded.Capacity()
	}
	return 0
}

func (g *guard) sample(now time.Duration) {
	inside, waiting := g.counts()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.history.add(guardSample{inside, waiting, g.rejects.perSecond(now)})
}
