package tool

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Group is a set of loops that share the load, typically one for each core: a run lives on one
// loop, and runs on different loops proceed at the same time. All methods may be called from any goroutine.
// The zero Group has no loops.
type Group struct {
	turn    atomic.Uint64
	members atomic.Pointer[members] // nil for the zero Group

	follows bool // the number of loops follows GOMAXPROCS
	options Options
	drain   *drain // the drain of all loops of the group; nil for the zero Group

	mu     sync.Mutex // taken to change members and closed
	closed bool
}

type members struct {
	loops []*Loop
	used  int // how many of the loops, from the first one on, are given new runs
}

// NewGroup starts n loops with the same options. With n below 1 the number follows [runtime.GOMAXPROCS],
// see [Group.Next]. The loops run until Shutdown.
//
//spec:ftn12 §2.6
func NewGroup(n int, o Options) *Group {
	g := &Group{follows: n < 1, options: o, drain: newDrain()}
	if g.follows {
		n = runtime.GOMAXPROCS(0)
	}
	g.resize(new(members), n)
	return g
}

// resize makes n loops take new runs. It ends no loop, because runs may live on it.
func (g *Group) resize(m *members, n int) *members {
	loops := slices.Clip(m.loops) // others read the array
	for len(loops) < n {
		loops = append(loops, start(g.options, g.drain))
	}
	m = &members{loops, n}
	g.members.Store(m)
	return m
}

// lookEvery is how often Next looks at GOMAXPROCS: in one of so many calls, because looking takes the lock of Go's scheduler.
const lookEvery = 64

// Next returns the loop with the fewest registrations; among loops with equally few it goes round. For a
// group without loops it returns a loop that has been shut down.
//
// A group that follows [runtime.GOMAXPROCS] looks at it in every 64th call. If it has grown, more loops are given
// new runs, and missing ones are started. If it has shrunk, the last loops are given no new runs, and the runs that
// they have go on there.
func (g *Group) Next() *Loop {
	m := g.members.Load()
	if m == nil {
		return over()
	}
	turn := g.turn.Add(1)
	if g.follows && turn%lookEvery == 0 {
		m = g.follow()
	}
	n, first := uint64(m.used), turn-1
	least := m.loops[first%n]
	for i := uint64(1); i < n; i++ {
		if l := m.loops[(first+i)%n]; l.host.Live() < least.host.Live() {
			least = l
		}
	}
	return least
}

func (g *Group) follow() *members {
	n := runtime.GOMAXPROCS(0)
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.members.Load()
	if g.closed || m.used == n {
		return m
	}
	return g.resize(m, n)
}

// Loops returns the loops that have been started so far, in a fixed order, including those that are given no
// new runs. The slice is the caller's own.
func (g *Group) Loops() []*Loop {
	m := g.members.Load()
	if m == nil {
		return nil
	}
	return slices.Clone(m.loops)
}

// Shutdown shuts all loops down at the same time, each as [Loop.Shutdown] does, and joins their errors. As long as a run is
// left on one of them and ctx lasts, the loops go on, and admit the loads and the runs of a flow.On that this run asks for.
// Called by a callback of one of these loops, Shutdown begins the shutdown of all and returns ErrInLoop. A nil ctx gives
// ErrNilContext, and the loops go on.
func (g *Group) Shutdown(ctx context.Context) error {
	if ctx == nil {
		return ErrNilContext
	}
	g.close()
	loops := g.Loops()
	inside := false
	for _, l := range loops {
		inside = inside || l.InLoop()
	}
	if inside {
		return ErrInLoop
	}
	errs := make([]error, len(loops))
	var all sync.WaitGroup
	for i, l := range loops {
		all.Go(func() { errs[i] = l.Shutdown(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// close begins the shutdown of all loops. It is idempotent.
func (g *Group) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	g.closed = true
	if g.drain == nil {
		return // the zero Group has no loops
	}
	for _, l := range g.Loops() {
		l.closeWith(g.drain)
	}
	g.drain.leave()
}
