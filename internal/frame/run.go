package frame

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/tool"
)

// Run is one execution of a plan: its strands, its queue and its state. It
// lives on one loop, whose goroutine owns every field below the line but shut;
// those above it are for the goroutines that complete, cancel and post.
type Run struct {
	signal atomic.Uint32 // see turn.go
	gen    atomic.Uint32 // counts the runs that used this memory

	mu     sync.Mutex
	inbox  inbox       // strands to look at, posted from anywhere
	halt   *halt       // a requested cancel
	posted tool.Handle // of the queued turn

	// ---- the loop's own

	inst  *Instance
	cur   *Strand // being driven
	front *Strand // goes next, before ready
	ready ready
	due   *due  // what is put off; nil until there was something
	left  int32 // steps until the run yields

	doing    doing // whose code runs, for a panic
	inTurn   bool
	news     bool // posts are to be looked at before anything else
	called   bool // the queued turn's callback is what called Turn
	quit     bool // cancel was delivered
	over     bool
	attended bool  // somebody wants to know of each step
	raced    bool  // it has had a fork that races
	stashed  uint8 // instances in idle
	shut     bool  // the result is decided: too late to cancel; mu guards it
	settled  bool  // a Watch is told of what is done already, see inform

	main    Strand
	errs    *errs // those it has met; nil until the first
	ctx     context.Context
	vars    vars
	tool    tool.Tool
	spare   func(tool.Caller) tool.Tool // makes the loop of a run that had none
	driver  tool.Caller                 // drives the run, for spare
	owner   Owner
	watcher *watcher  // nil: nobody observes the run
	ended   *Instance // of sub-steps that have just ended, while Resume is told
	idle    *Instance // at hand for the next sub-steps of their levels
	turnFn  func()
	tenant  tool.Tenant
}

// errs are the errors that a run has met. Most runs meet none.
type errs struct {
	last   error   // raised last: error_info, last_exception
	broken []error // rules broken by the code that runs (E7), the first mostBroken
	unkept int     // how many more
	result error
}

// met is where to keep an error.
func (r *Run) met() *errs {
	if r.errs == nil {
		r.errs = new(errs)
	}
	return r.errs
}

// halt is why a run is cancelled.
type halt struct {
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
	r.turnFn = func() {
		r.called = true
		r.Turn()
	}
	r.tenant.Stop = func(cause error) { r.Cancel(cause) }
	return r
}

// Config is how a run is started.
type Config struct {
	Context context.Context // values and deadline for steps; not watched here
	Tool    tool.Tool       // the loop; nil: Spare is asked when one is needed
	Spare   func(driver tool.Caller) tool.Tool
	Driver  tool.Caller // for Spare: the goroutine that calls Turn
	Owner   Owner       // may be nil
	Watch   Watch       // nil: the run isn't observed
}

// NewRun makes a run ready to execute inst. Its memory stays with that of the
// instance, so that there is one pool to ask.
func NewRun(inst *Instance, c Config) *Run {
	r := inst.run
	if r == nil {
		r = makeRun()
	}
	r.inst = inst
	r.ctx = c.Context
	r.spare, r.driver = c.Spare, c.Driver
	r.owner = c.Owner
	if c.Tool != nil {
		r.tool = c.Tool
		r.attended = c.Tool.Host().Turn().At != nil
	}
	r.observe(c.Watch)
	r.main.start(r, &inst.root)
	r.front = &r.main
	return r
}

// Launch queues the run on its loop; no step runs before it returns (O1).
func (r *Run) Launch() error {
	r.mu.Lock() // before Attach: a Stop of the tenant must find the first turn queued, or it queues another
	if err := r.tool.Host().Attach(&r.tenant); err != nil {
		r.mu.Unlock()
		return err
	}
	r.signal.Store(queued) // first: the loop may call Turn at once
	h, err := r.tool.Immediate(r.turnFn)
	r.posted, r.shut = h, err != nil
	r.mu.Unlock()
	if err != nil { // a Stop may be waiting for mu, and Detach waits for it
		r.tool.Host().Detach(&r.tenant)
	}
	return err
}

// Recycle gives the memory of an ended run back. The caller has taken the
// result; every handle to the run is void from here on.
func (r *Run) Recycle() {
	used := r.gen.Add(1)
	inst := r.inst
	r.vars.clear()
	if t := r.main.trace; t != nil {
		t.shrink()
	}
	r.inst, r.tool, r.spare, r.ctx, r.owner, r.watcher = nil, nil, nil, nil, nil, nil
	if r.errs != nil {
		*r.errs = errs{}
	}
	r.halt = nil
	r.cur, r.front = nil, nil
	if r.due != nil {
		r.due.clear()
	}
	r.main.err = nil
	r.over, r.called, r.quit, r.shut, r.attended, r.raced = false, false, false, false, false, false
	if r.signal.Load() != idle { // a store costs as much as three steps
		r.signal.Store(idle)
	}
	inst.run = nil
	if used < retired {
		inst.run = r
	}
	inst.clear()
	if inst.memory != nil {
		inst.memory.roots.Put(inst) // the last: from here on another run may use both
	}
}

// Instance is what the run executes.
func (r *Run) Instance() *Instance { return r.inst }

// Tool is the loop the run lives on.
func (r *Run) Tool() tool.Tool {
	if r.tool == nil {
		r.tool = r.spare(r.driver)
		if r.inTurn {
			r.signal.Store(turning) // from here on others may post
		}
	}
	return r.tool
}

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
	if r.errs == nil {
		return nil
	}
	return r.errs.last
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

// Over says whether the run has ended; Result is its error then.
func (r *Run) Over() bool { return r.over }

// Result is nil for a run that ended with a value.
func (r *Run) Result() error {
	if r.errs == nil {
		return nil
	}
	return r.errs.result
}

// finish ends the run. A cancel that came before it, but was not looked at yet,
// has been promised: it wins, though there is nothing left to unwind.
func (r *Run) finish(err error) {
	if !r.close() {
		r.conclude(err, false)
		return
	}
	r.quit = true
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
		r.met().result = err
	}
	r.over = true
	if quits {
		defer r.tell(RunEnd, nil, err) // even if the Watch ends the goroutine
		r.tellQuit()
		return
	}
	r.tell(RunEnd, nil, err)
}

// close decides that the run ends; it says whether a cancel was promised that
// nobody has looked at. A run without a loop is known to nobody but its caller.
func (r *Run) close() (promised bool) {
	if r.tool != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
	}
	r.shut = true
	for r.inbox.pop() != nil { // no strand of the instance stays reachable
	}
	return r.halt != nil && !r.quit
}

// Looped says whether the run has a loop by now.
func (r *Run) Looped() bool { return r.tool != nil }
