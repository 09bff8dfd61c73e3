package frame

import (
	"context"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/tool"
)

// Config holds the settings of a run.
type Config struct {
	Context context.Context // values and deadline for steps; the machine doesn't wait for its end
	Tool    tool.Tool       // the loop; nil for a run without one, see NewDriven
	Owner   Owner           // may be nil
	Watch   Watch           // nil: the run isn't observed
}

// Spare makes the loop of a run that has begun without one. ctx is the context of the run, driver the number of the goroutine
// that drives the run: see package goid. A coroutine of that goroutine may be the one that calls Spare. The second result is
// the loop as a drive.Loop; nil if it isn't one.
type Spare func(ctx context.Context, driver uint64) (tool.Tool, drive.Loop)

// NewRun makes a run ready to execute inst. The memory of the run is pooled together with that
// of the activation. With a Tool, call Launch or Wake next.
func NewRun(inst *Activation, c *Config) *Run {
	if c.Tool == nil {
		r := NewDriven(c.Context, inst, nil, 0, c.Watch)
		r.owner = c.Owner
		return r
	}
	r := inst.run
	if r == nil {
		r = makeRun(inst)
	}
	r.ctx, r.owner, r.next, r.main.top = c.Context, c.Owner, &r.main, &inst.root
	r.main.restart(&inst.root)
	l, seat := drive.Of(c.Tool)
	r.moveInto(c.Tool, l, seat)
	turn := r.host.Turn()
	r.beforeSteps, r.narrow = turn.At != nil, turn.Steps <= few
	if c.Watch != nil {
		r.observe(c.Watch)
	}
	return r
}

// NewDriven is NewRun for a run without a loop, whose caller drives it by Turn. When the run first needs a loop, spare
// makes it, for the goroutine with the number driver. spare may be nil if the run never needs one. A nil watch observes
// nothing.
func NewDriven(ctx context.Context, inst *Activation, spare Spare, driver uint64, watch Watch) *Run {
	r := inst.run
	if r == nil {
		r = makeRun(inst)
	}
	r.ctx, r.spare, r.next, r.main.top, r.driver = ctx, spare, &r.main, &inst.root, driver
	r.main.restart(&inst.root)
	r.clearAlert()
	if watch != nil {
		r.observe(watch)
	}
	return r
}

// Wake prepares a run whose caller takes the first turn itself, on the loop, instead of calling Launch. Nothing else may refer
// to the run yet.
func (r *Run) Wake() {
	r.eager = true
	r.clearAlert()
}

// clearAlert makes the alert idle: the run that used the memory before may have sealed it.
func (r *Run) clearAlert() {
	if r.alert.Load() != idle {
		r.alert.Store(idle)
	}
}

// Launch queues the run on its loop. It executes no step itself. So if it is called on the loop, no step begins before it
// returns (O1).
func (r *Run) Launch() error { return r.LaunchFor(nil) }

// LaunchFor is Launch on behalf of a run on a loop of the host asker (M10). A nil asker stands for nobody.
func (r *Run) LaunchFor(asker *tool.Host) error {
	r.alert.Store(first) // before Attach: a Stop of the registration that finds idle queues another turn
	_, r.eager = r.loop.(*adapter)
	if err := r.host.AttachFor(&r.registration, asker); err != nil {
		return err
	}
	if asker == nil && !r.host.Deterministic() { // others may go first, unless a run waits for this one or the order is fixed (T1)
		r.here.Starts()
	}
	err := r.loop.Post(&r.here)
	if err != nil {
		r.here.Take()
		r.mu.Lock()
		r.decided = true
		r.mu.Unlock() // before Detach, which waits for a Stop that may be waiting for mu
		r.host.Detach(&r.registration)
	}
	return err
}

// makeRun makes the Run that executes inst whenever inst is the root of a run.
func makeRun(inst *Activation) *Run {
	r := &Run{root: inst}
	r.main.run, inst.root.fiber = r, &r.main
	inst.run = r
	r.here.Init(r)
	r.registration.Stop = func(cause error) { r.Cancel(cause) }
	return r
}
