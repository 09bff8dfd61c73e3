package nats

import (
	"cmp"
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// line mirrors, in one process, the places of one guard and the flows that wait for them, one of each process. The
// value of the key "name.places.queue" are their names, in the order in which they came. The server tells of every change
// while a flow of this process waits, and some time longer.
//
// The name of a flow is that of its process, a colon and a number that rises. The value of a place begins with the name of
// the flow that has taken it. So everybody knows that this flow and those before it of the same process don't wait any more,
// and the next one who writes the queue leaves them out.
type line struct {
	kv    jetstream.KeyValue
	name  string
	lease time.Duration
	me    string

	mu       sync.Mutex
	spots    []spot            // the places
	queue    []string          // the names of the flows that wait; never changed in place
	revision uint64            // of queue
	last     map[string]uint64 // by process, the number of its last flow that has got a place
	flow     uint64            // the number of the last flow of this process
	known    bool              // what was there when listening began has been told
	stop     context.CancelFunc
	unused   *time.Timer   // ends listening; runs while nobody waits
	changed  chan struct{} // has room for one
}

// spot is the last revision of a place that the process has seen, and when it has first seen it.
type spot struct {
	revision uint64 // 0 if the key was never written
	held     bool
	at       time.Duration
}

const (
	// unusedFor is how long a process listens when none of its flows waits.
	unusedFor = time.Second
	// longest is how long a process that waits relies on being told of changes.
	longest = time.Second
)

func newLine(kv jetstream.KeyValue, name string, n int, lease time.Duration) *line {
	return &line{
		kv: kv, name: name, lease: lease, me: rand.Text()[:13],
		spots: make([]spot, n), last: map[string]uint64{}, changed: make(chan struct{}, 1),
	}
}

// key returns the key of a place, by its number, or of the queue.
func (l *line) key(what string) string { return l.name + ".places." + what }

const queued = "queue"

// listen begins to listen, unless the process does so already. The caller calls rest when it doesn't wait any more.
func (l *line) listen() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unused != nil {
		l.unused.Stop()
		l.unused = nil
	}
	if l.stop != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	w, err := l.kv.Watch(ctx, l.key("*"))
	if err != nil {
		cancel()
		return err
	}
	l.stop = cancel
	l.queue, l.revision = nil, 0
	go l.follow(ctx, w)
	return nil
}

// follow takes down what w tells, until ctx ends or the connection is closed.
func (l *line) follow(ctx context.Context, w jetstream.KeyWatcher) {
	defer func() { _ = w.Stop() }() // ctx ends it as well
	for {
		select {
		case <-ctx.Done():
			return
		case e, ok := <-w.Updates():
			if !l.told(ctx, e, ok) {
				return
			}
		}
	}
}

// told takes down an update of a watcher, and reports whether there may be more.
func (l *line) told(ctx context.Context, e jetstream.KeyValueEntry, ok bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case ctx.Err() != nil: // another watcher may have taken over
		return false
	case !ok:
		l.end()
	case e == nil:
		l.known = true
	default:
		l.note(e)
	}
	if l.known || !ok {
		select {
		case l.changed <- struct{}{}:
		default: // it knows already that there is something new
		}
	}
	return ok
}

// note takes down what a key has become. The caller holds mu.
func (l *line) note(e jetstream.KeyValueEntry) {
	what := strings.TrimPrefix(e.Key(), l.key(""))
	if what == queued {
		if e.Revision() > l.revision {
			l.queue, l.revision = strings.Fields(string(e.Value())), e.Revision()
		}
		return
	}
	// keys that have other names belong to guards with more places
	if i, err := strconv.Atoi(what); err == nil && i >= 0 && i < len(l.spots) {
		l.sight(i, e.Revision(), e.Operation() == jetstream.KeyValuePut)
		l.gotIn(string(e.Value()))
	}
}

// sight takes down what a place has become. What the server tells may be older than what it has answered meanwhile, but not
// when listening begins: the bucket may be another one then. The caller holds mu.
func (l *line) sight(i int, revision uint64, held bool) {
	if s := l.spots[i]; revision > s.revision || !l.known && revision != s.revision {
		l.spots[i] = spot{revision, held, clock.Now()}
	}
}

// held takes down that a place that the server was asked for is held.
func (l *line) held(i int, revision uint64, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sight(i, revision, true)
	l.gotIn(value)
}

// end ends listening. The caller holds mu.
func (l *line) end() {
	if l.stop != nil {
		l.stop()
	}
	l.stop, l.known = nil, false
}

// rest ends listening after a while, unless somebody listens again.
func (l *line) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unused = time.AfterFunc(unusedFor, func() {
		ctx, cancel := context.WithTimeout(context.Background(), cluster.Patience)
		defer cancel()
		_ = l.leave(ctx) // nobody, but who listens later doesn't know which of the queue have got a place
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.unused != nil {
			l.end()
		}
	})
}

// listens reports whether the process knows who waits.
func (l *line) listens() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known
}

// seen returns the last revision of place i that the process has seen, and whether its lease has passed.
func (l *line) seen(i int) (revision uint64, expired bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.spots[i]
	return s.revision, s.held && clock.Now() >= s.free(l.lease)
}

// free returns the time from which the place is free, unless it is written once more.
func (s spot) free(lease time.Duration) time.Duration {
	if s.held {
		return s.at + lease
	}
	return s.at
}

// turn returns the number of the place that a flow may take now, or -1 and how long it waits unless something changes. The
// first of the queue takes the place that has been free longest, the second one the next, and so on. Those behind them wait a
// pause longer for each before them, because a process that doesn't come when it is its turn has died: then dead are
// those before the flow.
func (l *line) turn(name string) (i int, dead []string, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	free, wait := l.free()
	if len(free) == 0 {
		return -1, nil, wait
	}
	before := l.waiting()
	if at := slices.Index(before, name); at >= 0 {
		before = before[:at]
	}
	behind := len(before) - len(free) + 1
	if behind <= 0 {
		return free[len(before)], nil, 0
	}
	late := l.spots[free[0]].free(l.lease) + time.Duration(behind)*l.pause() - clock.Now()
	if late > 0 {
		return -1, nil, min(wait, late)
	}
	return free[0], before, 0
}

// free returns the places that are free, first the one that has been so for longest, and how long it takes at most until
// there may be another one. The caller holds mu.
func (l *line) free() (free []int, next time.Duration) {
	next = longest
	now := clock.Now()
	for i, s := range l.spots {
		if at := s.free(l.lease); at > now {
			next = min(next, at-now)
		} else {
			free = append(free, i)
		}
	}
	slices.SortFunc(free, func(a, b int) int { return cmp.Compare(l.spots[a].free(l.lease), l.spots[b].free(l.lease)) })
	return free, next
}

// pause is how long a process has to take its place when it is its turn.
func (l *line) pause() time.Duration { return min(100*time.Millisecond, l.lease/10) }

// await returns when something has changed, after d, or when ctx ends. If nothing has changed for long it makes sure that
// the server would have told, and listens anew if it would not, as after a restart of the server.
func (l *line) await(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-l.changed:
	case <-t.C:
		if d >= longest && l.listens() && l.deaf(ctx) {
			l.again()
		}
	}
}

// again listens anew.
func (l *line) again() {
	l.mu.Lock()
	l.end()
	l.mu.Unlock()
	_ = l.listen() // who waits calls it once more
}

// deaf reports whether the server has changed a place without telling.
func (l *line) deaf(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, cluster.Patience)
	defer cancel()
	i := mathrand.N(len(l.spots))
	e, err := l.kv.Get(ctx, l.key(strconv.Itoa(i)))
	l.mu.Lock()
	defer l.mu.Unlock()
	if absent(err) {
		return l.spots[i].held
	}
	return err != nil || e.Revision() != l.spots[i].revision
}
