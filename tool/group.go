package tool

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Group is some loops that share the load, typically one for each core: a run still lives on one loop,
// but different runs proceed at the same time. All methods may be called from any goroutine. The zero Group has no loops.
type Group struct {
	loops []*Loop
	turn  atomic.Uint64
}

// NewGroup starts n loops with the same options; n below 1 stands for [runtime.GOMAXPROCS] at the moment of
// the call: the number of loops doesn't follow it later. They run until Shutdown.
// FTN12 §2.6.
func NewGroup(n int, o Options) *Group {
	if n < 1 {
		n = runtime.GOMAXPROCS(0)
	}
	g := &Group{loops: make([]*Loop, n)}
	for i := range g.loops {
		g.loops[i] = Start(o)
	}
	return g
}

// Next returns the loop with the fewest registrations; those with equally few take turns. Of a group without
// loops it is one that has been shut down.
func (g *Group) Next() *Loop {
	n := uint64(len(g.loops))
	if n == 0 {
		return over()
	}
	first := g.turn.Add(1) - 1
	least := g.loops[first%n]
	for i := uint64(1); i < n; i++ {
		if l := g.loops[(first+i)%n]; l.host.Live() < least.host.Live() {
			least = l
		}
	}
	return least
}

// Loops returns the loops, always in the same order. The slice is the caller's own.
func (g *Group) Loops() []*Loop { return slices.Clone(g.loops) }

// Shutdown shuts all loops down at the same time as [Loop.Shutdown] does, and joins their errors. Called by a callback
// of one of them it begins the shutdown of all and returns ErrInLoop.
func (g *Group) Shutdown(ctx context.Context) error {
	if ctx == nil {
		return ErrNilContext
	}
	inside := false
	for _, l := range g.loops {
		l.close()
		inside = inside || l.InLoop()
	}
	if inside {
		return ErrInLoop
	}
	errs := make([]error, len(g.loops))
	var all sync.WaitGroup
	for i, l := range g.loops {
		all.Go(func() { errs[i] = l.Shutdown(ctx) })
	}
	all.Wait()
	return errors.Join(errs...)
}
