package frame

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/tool"
)

// Run is one execution of a plan: its fibers, its queue and its state. It
// lives on one loop, whose goroutine owns every field below the line but shut;
// those above it are for the goroutines that complete, cancel and post.
type Run struct {
	signal atomic.Uint32 // see turn.go
	gen    atomic.Uint32 // counts the runs that used this memory

	mu      sync.Mutex
	inbox   inbox          // fibers to look at, posted from anywhere
	request *cancelRequest // a requested cancel

	item queue.Item // the queued turn; whoever queues it, then the loop's

	// ---- the loop's own

	root  *Activation
	cur   *Fiber // being driven
	next  *Fiber // goes next, before ready
	ready ready
	due   *due       // what is put off; nil until there was something
	young *resources // limits that are set and not armed, the latest first; nil if there are none
	left  int32      // steps until the run yields, or looks at the clock

	doing   doing // whose code runs, for a panic
	inTurn  bool
	roomy   bool  // when left is used up, more may be granted
	news    bool  // posts are to be looked at before anything else
	settled bool  // a Watch is told of what is done already, see inform
	lazy    bool  // limits of steps are armed at the end of the turn
	cached  uint8 // activations in idle
	life

	main         Fiber
	record       *record // nil until there is something to keep
	ctx          context.Context
	tool         tool.Tool
	loop         drive.Loop // that tool is
	spare        Spare      // makes the loop of a run that had none
	driver       uint64     // drives the run, for spare
	owner        Owner
	watcher      *watcher    // nil: nobody observes the run
	endedLevel   *Activation // of sub-steps that have just ended, while Resume is told
	cache        *Activation // at hand for the next sub-steps of their levels
	registration tool.Registration
}

// life is what is false when a run begins.
type life struct {
	cancelDelivered bool // cancel was delivered
	hasEnded        bool
	beforeSteps     bool // somebody wants to know of each step
	raced           bool // it has had a fork that races
	decided         bool // the result is decided: too late to cancel; mu guards it; see seal
}

// record is what most runs have nothing of: errors that they have met, and state.
type record struct {
	last   error   // raised last: error_info, last_exception
	broken []error // rules broken by the code that runs (E7), the first mostBroken
	unkept int     // how many more
	result error
	vars   vars
}

// errors is where to keep an error.
func (r *Run) errors() *record {
	if r.record == nil {
		r.record = new(record)
	}
	return r.record
}

// cancelRequest is why a run is cancelled.
type cancelRequest struct {
	cause error
	late  bool // it is a deadline that has passed
}

// Owner is told of the end of its run, once, on the run's loop.
type Owner interface{ Ended(r *Run) }

// Ended is a function as an Owner.
type Ended func(r *Run)

// Ended calls f.
func (f Ended) Ended(r *Run) { f(r) }

// doing says whose code is running, which decides what a panic means.
type doing uint8

const (
	stepping  doing = iota // a body, or the machine itself
	handling               // an error handler
	hooking                // a cancel hook
	cleaning               // a cleanup of the step's stack
	watching               // a Watch, or who takes reports: nothing that it calls is the step's doing
	reporting              // somebody's error, for the error of a run that has been unwound
	quitting               // the cause of a cancel, for the error of a run whose last step has ended
)

func makeRun() *Run {
	r := new(Run)
	r.item.Init(r)
	r.registration.Stop = func(cause error) { r.Cancel(cause) }
	return r
}

// Config is how a run is started.
type Config struct {
	Context context.Context // values and deadline for steps; not watched here
	Tool    tool.Tool       // the loop; nil: Spare is asked when one is needed
	Spare   Spare
	Driver  uint64 // for Spare: the goroutine that calls Turn, see package goid
	Owner   Owner  // may be nil
	Watch   Watch  // nil: the run isn't observed
}

// Spare makes the loop of a run that has begun without one. driver is the goroutine
// that drives the run. The second result may be nil.
type Spare func(driver uint64) (tool.Tool, drive.Loop)

// NewRun makes a run ready to execute inst. Its memory stays with that of the
// activation, so that there is one pool to ask. With a Tool, Launch or Wake is next.
func NewRun(inst *Activation, c Config) *Run {
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
		r.beforeSteps = c.Tool.Host().Turn().At != nil
	}
	r.lazy = c.Tool == nil
	if r.lazy {
		r.rest()
	}
	r.observe(c.Watch)
	r.main.start(r, &inst.root)
	r.next = &r.main
	return r
}

// Wake prepares a run whose first turn the caller takes, on the loop, instead of
// Launch. Nobody else knows the run yet.
func (r *Run) Wake() { r.rest() }

// rest makes the signal idle: the run that used the memory before has sealed it.
func (r *Run) rest() {
	if r.signal.Load() != idle { // a store costs as much as three steps
		r.signal.Store(idle)
	}
}

// Launch queues the run on its loop; no step runs before it returns (O1).
func (r *Run) Launch() error {
	r.signal.Store(woken) // before Attach: a Stop of the registration must find the first turn queued, or it queues another
	_, foreign := r.loop.(*foreign)
	r.lazy = !foreign
	if err := r.tool.Host().Attach(&r.registration); err != nil {
		return err
	}
	err := r.loop.Post(&r.item)
	if err != nil {
		r.mu.Lock()
		r.decided = true
		r.mu.Unlock()                         // a Stop may be waiting for it,
		r.tool.Host().Detach(&r.registration) // which waits for that
	}
	return err
}

// Recycle gives the memory of an ended run back. The caller has taken the
// result; every handle to the run is void from here on.
func (r *Run) Recycle() {
	used := r.gen.Add(1)
	inst := r.root
	r.root, r.spare, r.ctx, r.owner, r.watcher, r.request, r.cur, r.next, r.main.err = nil, nil, nil, nil, nil, nil, nil, nil, nil
	if t := r.main.trace; t != nil {
		t.shrink()
	}
	if k := r.record; k != nil {
		k.vars.clear()
		*k = record{vars: k.vars}
	}
	if r.due != nil {
		r.due.clear()
	}
	if r.tool != nil {
		r.leave()
	}
	r.life = life{}
	inst.run = nil
	if used < retired {
		inst.run = r
	}
	inst.clear()
	if inst.memory != nil {
		inst.memory.roots.Put(inst) // the last: from here on another run may use both
	}
}

// Root is what the run executes.
func (r *Run) Root() *Activation { return r.root }

// Tool is the loop the run lives on. It is for the goroutine of the loop. Limits that
// were set before are armed first, because the caller may arm timers of its own.
func (r *Run) Tool() tool.Tool {
	if r.tool == nil {
		r.moveIn()
	}
	if r.young != nil {
		r.armLimits()
	}
	return r.tool
}

// moveIn gives a run that has begun without a loop one of its own.
func (r *Run) moveIn() {
	t, l := r.spare(r.driver)
	r.dwell(t, l, nil)
	if r.inTurn {
		r.signal.Store(turning) // from here on others may post
	}
}

// Home is Tool for any goroutine, of a run that has a loop.
func (r *Run) Home() tool.Tool { return r.tool }

// Context is the context the run was started with, guarded.
func (r *Run) Context() context.Context {
	var host *tool.Host
	if r.tool != nil {
		host = r.tool.Host()
	}
	r.ctx = Guard(r.ctx, host)
	return r.ctx
}

// Vars is the run's dynamic state (S1).
func (r *Run) Vars() *Vars { return (*Vars)(r) }

// Last is the error raised last, even if a handler has recovered it since (E3).
func (r *Run) Last() error {
	if r.record == nil {
		return nil
	}
	return r.record.last
}

// current is the error that the state variables show: in a handler the one that
// the handler was given, whatever other branches have raised since, elsewhere
// the one raised last (E3).
func (r *Run) current() error {
	if r.doing == handling && r.cur.err != nil {
		return r.cur.err
	}
	return r.Last()
}

// HasEnded says whether the run has ended; Result is its error then.
func (r *Run) HasEnded() bool { return r.hasEnded }

// Result is nil for a run that ended with a value.
func (r *Run) Result() error {
	if r.record == nil {
		return nil
	}
	return r.record.result
}

// finish ends the run. A cancel that came before it, but was not looked at yet,
// has been promised: it wins, though there is nothing left to unwind.
func (r *Run) finish(err error) {
	if !r.seal() {
		r.conclude(err, false)
		return
	}
	r.cancelDelivered = true
	t := new(trace)
	if err != nil {
		t.also(err)
	}
	r.conclude(r.cancelled(t, quitting), true)
}

// conclude gives the run its result, once; quits is whether its Watch has to be told
// first that it is cancelled.
func (r *Run) conclude(err error, quits bool) {
	r.doing = stepping
	if err != nil {
		r.errors().result = err
	}
	r.hasEnded = true
	if quits {
		defer r.emit(RunEnd, nil, err) // even if the Watch ends the goroutine
		r.emitCancelled()
		return
	}
	r.emit(RunEnd, nil, err)
}

// seal ends the time in which the run can be cancelled. It reports whether a cancel
// was promised before and not looked at yet.
//
// It takes no lock if the run has no loop, because only its caller knows it then, nor
// if the signal goes from turning to sealed. Who posts or cancels moves the signal
// away from turning after it has stored what it has to say, and so the move fails if
// anything was stored. A cancel that is stored later finds that it can't move the
// signal, and takes its request back: see stop. Nothing is posted later: each wait of
// the run was ended under its lock, or by a completion that was posted before.
func (r *Run) seal() (promised bool) {
	if r.tool != nil {
		if !r.news && (r.due == nil || r.due.request == nil) && r.signal.CompareAndSwap(turning, sealed) {
			return false
		}
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	r.decided = true
	for r.inbox.pop() != nil { // no fiber of the activation stays reachable
	}
	return r.request != nil && !r.cancelDelivered
}

// unseal lets the run, which somebody's code has broken off after seal, have another
// turn. It stays too late to cancel.
func (r *Run) unseal() {
	r.mu.Lock()
	r.decided = r.decided || r.signal.Load() == sealed
	r.signal.Store(dirty) // of the posts that it has begun to look at some may be left
	r.mu.Unlock()
}

// Looped says whether the run has a loop by now.
func (r *Run) Looped() bool { return r.tool != nil }
