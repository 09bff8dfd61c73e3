package nats

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/internal/cluster"
)

// line holds what one process knows about the places of a guard, and about the flows that wait for them, one flow of each
// process. The value of the key "name.places.queue" lists the names of these flows, in the order in which they came.
//
// The name of a flow is that of its line, a colon and a number that rises. The value of a place begins with the name of
// the flow that has taken it, or is "kept".
type line struct {
	kv    jetstream.KeyValue
	calls *calls
	name  string
	me    string

	mu       sync.Mutex
	spots    []spot      // the places
	queue    []string    // the names of the flows that wait; never changed in place
	revision uint64      // of queue
	done     []string    // names of flows that don't wait any more
	flow     uint64      // the number of the last flow of this process
	unused   *time.Timer // tidies the queue; set for a while after a flow of this process has waited, otherwise nil
}

// spot holds the last known revision of a place, and when the place becomes free unless it is written again.
type spot struct {
	revision uint64        // 0 if the key has no value, or nothing is known
	free     time.Duration // 0 if nothing is known
}

// kept is the value of a place that only the called flow may take. That flow may be dead, and so may the caller, so the
// value counts for a pause instead of a lease: after that others may take the place.
const kept = "kept"

// longest bounds how long a process waits for a call before it looks at the places by itself.
const longest = time.Second

func newLine(c *calls, name string, n int) *line {
	return &line{kv: c.kv, calls: c, name: name, me: c.line(), spots: make([]spot, n)}
}

// key returns the key of a place, by its number, or of the queue.
func (l *line) key(what string) string { return l.name + ".places." + what }

func (l *line) place(i int) string { return l.key(strconv.Itoa(i)) }

const queued = "queue"

func (l *line) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unused != nil
}

// look asks the server for each place.
func (l *line) look(ctx context.Context) error {
	for i := range l.spots {
		var e jetstream.KeyValueEntry
		err := patient(ctx, func(ctx context.Context) (err error) {
			e, err = l.kv.Get(ctx, l.place(i))
			return err
		})
		switch {
		case err == nil:
			l.sight(i, e.Revision(), string(e.Value()))
		case absent(err):
			l.sight(i, 0, "")
		default:
			return err
		}
	}
	return nil
}

// sight records the state of a place, which is free if revision is 0. Any other revision counts only if it is later than the
// known one.
func (l *line) sight(i int, revision uint64, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.spots[i]; revision > s.revision || revision == 0 && s.revision != 0 || s.free == 0 {
		free := clock.Now()
		switch {
		case value == kept:
			free += l.pause()
		case revision != 0:
			free += l.calls.lease
		}
		l.spots[i] = spot{revision, free}
	}
	if name, _, ok := strings.Cut(value, "/"); ok {
		l.isDone(name)
	}
}

// forget drops what is known about place i. Then sight takes any revision as the latest: the bucket may have been made anew.
func (l *line) forget(i int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spots[i] = spot{}
}

// seen returns the last revision of place i that the process has seen, and whether its time has passed.
func (l *line) seen(i int) (revision uint64, expired bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.spots[i]
	return s.revision, s.revision != 0 && clock.Now() >= s.free
}

// turn returns the number of the place that the flow with the given name may take now, or -1 and how long the flow waits
// unless it is called. The first of the queue takes the place that has been free longest, the second one the next, and so on.
// Each flow behind them waits for the longest-free place, a pause longer than the flow before it: a process that doesn't take
// its turn counts as dead. dead lists the flows before this one in the queue, which haven't come in time.
func (l *line) turn(name string) (i int, dead []string, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.waiting()
	if at := slices.Index(before, name); at >= 0 {
		before = before[:at]
	}
	free, wait := l.free()
	wait = min(wait, time.Duration(len(before)+1)*min(longest, l.calls.lease/10))
	if len(free) == 0 {
		return -1, nil, wait
	}
	behind := len(before) - len(free) + 1
	if behind <= 0 {
		return free[len(before)], nil, 0
	}
	late := l.spots[free[0]].free + time.Duration(behind)*l.pause() - clock.Now()
	if late > 0 {
		return -1, nil, min(wait, late)
	}
	return free[0], before, 0
}

// free returns the free places, the one that has been free longest first, and how long it takes until the next of
// the others expires, at most longest. The caller holds mu.
func (l *line) free() (free []int, next time.Duration) {
	next = longest
	now := clock.Now()
	for i, s := range l.spots {
		if s.free > now {
			next = min(next, s.free-now)
		} else {
			free = append(free, i)
		}
	}
	slices.SortFunc(free, func(a, b int) int { return cmp.Compare(l.spots[a].free, l.spots[b].free) })
	return free, next
}

// pause is how long a process has to take its place when it is its turn.
func (l *line) pause() time.Duration { return min(100*time.Millisecond, l.calls.lease/10) }

// handOver calls the first flow that waits and isn't in skip to take place i, if the place still has the given revision. A
// flow that doesn't come in time counts as dead, and the next one is called. If no flow waits the place becomes free.
func (l *line) handOver(i int, revision uint64, skip ...string) {
	for revision != 0 {
		next := l.first(skip)
		if next == "" {
			l.letGo(i, revision, skip...)
			return
		}
		l.tell(next, i, revision)
		cluster.Sleep(context.Background(), l.pause())
		if revision = l.keep(i, revision); revision != 0 {
			l.end(next)
			_ = within(l.tidy) // so that a flow that is only late sees that it isn't in the queue any more
		}
	}
}

// letGo frees place i, if it still has the given revision. A flow that has come meanwhile has seen the place taken, so letGo
// hands the place to that flow.
func (l *line) letGo(i int, revision uint64, skip ...string) {
	err := within(func(ctx context.Context) error { return l.kv.Delete(ctx, l.place(i), jetstream.LastRevision(revision)) })
	if err == nil && l.first(skip) != "" {
		l.handOver(i, l.keep(i, 0), skip...)
	}
}

// tell tells flow that it may take place i. If the message is lost, the flows that wait find the place by themselves.
func (l *line) tell(flow string, i int, revision uint64) {
	l.mu.Lock()
	to := call{flow: flow, guard: l.name, place: i, revision: revision, done: l.done}
	l.mu.Unlock()
	_ = within(func(ctx context.Context) error { return l.calls.make(ctx, to) })
}

// keep marks place i, so that for a pause only the called flow takes it. revision is that of the place, 0 if it is free. keep
// returns the new revision, or 0 if the server can't be reached or another process has taken the place and will hand it over.
func (l *line) keep(i int, revision uint64) (next uint64) {
	_ = within(func(ctx context.Context) (err error) {
		if revision == 0 {
			next, err = l.kv.Create(ctx, l.place(i), []byte(kept))
		} else {
			next, err = l.kv.Update(ctx, l.place(i), []byte(kept), revision)
		}
		return err
	})
	return next
}
