package frame

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/tool"
)

// Config is how a run is started.
type Config struct {
	Context context.Context // values and deadline for steps; the machine doesn't wait for its end
	Tool    tool.Tool       // the loop; if nil, Spare makes one when it is needed
	Spare   Spare
	Driver  uint64 // for Spare: the goroutine that calls Turn, see package goid
	Owner   Owner  // may be nil
	Watch   Watch  // nil: the run isn't observed
}

// Spare makes the loop of a run that has begun without one. driver is the goroutine
// that drives the run. The second result may be nil.
type Spare func(driver uint64) (tool.Tool, drive.Loop)

// NewRun makes a run ready to execute inst. The memory of the run is pooled together with that
// of the activation. With a Tool, call Launch or Wake next.
func NewRun(inst *Activation, c *Config) *Run {
	r := inst.run
	if r == nil {
		r = makeRun()
	}
	r.root = inst
	r.ctx = c.Context
	r.spare, r.driver = c.Spare, c.Driver
	r.owner = c.Owner
	if c.Tool != nil {
		l, seat := drive.Of(c.Tool)
		r.dwell(c.Tool, l, seat)
		turn := c.Tool.Host().Turn()
		r.beforeSteps, r.narrow = turn.At != nil, turn.Steps <= few
	}
	r.lazy = c.Tool == nil
	if r.lazy {
		r.rest()
		r.narrow = false
	}
	if c.Watch != nil {
		r.observe(c.Watch)
	}
	r.main.start(r, &inst.root)
	r.next = &r.main
	return r
}

// Wake prepares a run whose caller takes the first turn itself, on the loop, instead of
// calling Launch. Nothing else refers to the run yet.
func (r *Run) Wake() { r.rest() }

// rest makes the signal idle: the run that used the memory before has sealed it.
func (r *Run) rest() {
	if r.signal.Load() != idle { // a store costs as much as three steps
		r.signal.Store(idle)
	}
}

// Launch queues the run on its loop; no step runs before it returns (O1).
func (r *Run) Launch() error {
	r.signal.Store(first) // before Attach: a Stop of the registration must find the first turn queued, or it queues another
	_, foreign := r.loop.(*foreign)
	r.lazy = !foreign
	if err := r.tool.Host().Attach(&r.registration); err != nil {
		return err
	}
	err := r.loop.Post(&r.here)
	if err != nil {
		r.mu.Lock()
		r.decided = true
		r.mu.Unlock()                         // a Stop may be waiting for it,
		r.tool.Host().Detach(&r.registration) // which waits for that
	}
	return err
}
