package frame

import (
	"sync"
	"sync/atomic"
)

// Instance is the memory of one activation of a plan: its ops, their cells
// and their frames. One run uses it at a time; between runs it waits in its
// plan's pool and holds nothing of the last one.
type Instance struct {
	root  Frame
	cells []Cell
	pool  *sync.Pool
	run   *Run // kept for when the instance is the root of a run again
	self  any  // what the pool stores: the typed instance around this one
	// gen counts the uses. It is atomic because a stale handle may look at
	// it while another run, on another loop, already uses the memory.
	gen   atomic.Uint32
	fresh bool      // taken from the pool, but not entered
	next  *Instance // in Run.idle
}

// Init makes the instance whole; self is what goes back to pool.
func (in *Instance) Init(level *Level, cells []Cell, pool *sync.Pool, self any) {
	in.cells = append(in.cells, cells...)
	in.pool = pool
	in.self = self
	in.root.Init(in, level)
}

// Prepare marks an instance as one that is to be entered, once.
func (in *Instance) Prepare() { in.fresh = true }

// Fresh says whether it still is.
func (in *Instance) Fresh() bool { return in.fresh }

// Release clears the instance and gives it back to its pool.
func (in *Instance) Release() {
	in.clear()
	in.store()
}

func (in *Instance) clear() {
	in.fresh = false
	for _, c := range in.cells {
		c.Clear()
	}
}

// store ends the use of a cleared instance by this run: from here on it may be
// another one's, which is what gen tells to those that still have a Ref. That
// of a run's root needs no telling: the run's own generation does.
func (in *Instance) store() {
	in.gen.Add(1)
	in.pool.Put(in.self)
}

// Self is the typed instance around this one.
func (in *Instance) Self() any { return in.self }

// Keep has c cleared with the instance. Ops call it for storage that they make
// when it is first needed.
func (in *Instance) Keep(c Cell) { in.cells = append(in.cells, c) }
