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
	self  any // what the pool stores: the typed instance around this one
	// gen counts the uses. It is atomic because a stale handle may look at
	// it while another run, on another loop, already uses the memory.
	gen   atomic.Uint32
	fresh bool // taken from the pool, but not entered
}

// Init makes the instance whole; self is what goes back to pool.
func (in *Instance) Init(level *Level, cells []Cell, pool *sync.Pool, self any) {
	in.cells = append(in.cells, cells...)
	in.pool = pool
	in.self = self
	in.root.Init(in, level)
}

// Generation names the use of the instance that begins now.
func (in *Instance) Generation() uint32 {
	in.fresh = true
	return in.gen.Load()
}

// Fresh says whether the use gen has begun but its steps haven't.
func (in *Instance) Fresh(gen uint32) bool { return in.gen.Load() == gen && in.fresh }

// Release clears the instance and gives it back to its pool.
func (in *Instance) Release() {
	in.gen.Add(1)
	in.fresh = false
	for _, c := range in.cells {
		c.Clear()
	}
	in.pool.Put(in.self)
}

// Keep has c cleared with the instance. Ops call it for storage that they make
// when it is first needed.
func (in *Instance) Keep(c Cell) { in.cells = append(in.cells, c) }
