package frame

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/internal/drive"
	"github.com/futoin-go/asyncsteps/internal/queue"
	"github.com/futoin-go/asyncsteps/internal/reserve"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// Run is one execution of a plan: its fibers, its queue and its state. It lives on one loop. The goroutine of that loop owns
// the fields below the line, unless their comments say otherwise; the fields above the line are for goroutines that complete,
// cancel and post.
type Run struct {
	alert atomic.Uint32 // see turn.go
	gen   atomic.Uint32 // counts the runs that have used this memory

	mu    sync.Mutex
	posts *posts // made by posting, nil before; mu guards it

	// ---- the loop's own

	root  *Activation // the activation that the run executes; the memory of the run is pooled with it
	here  queue.Item  // the turn that the loop's goroutine or Launch has queued
	cur   *Fiber      // the fiber that is executing, or has executed last
	next  *Fiber      // the fiber that goes next, as a rule before those in ready
	ready ready
	due   *due       // what is put off; nil until it is needed
	young *resources // limits that aren't armed yet, and stopwatches started in this turn, the latest first; nil if there are none
	quota int32      // steps until the run yields, looks at the clock, or ends a stint
	stint int32      // steps beyond quota until the fiber that executes ends its stint: see budget.go

	doing  doing // the kind of code that runs, which decides what a panic means
	inTurn bool
	roomy  bool   // more steps may be granted when quota is used up
	ahead  bool   // the machine made its move before it called the user code that runs now: see callWatch and aside
	cached uint16 // number of activations in cache
	life

	main         Fiber
	record       *record // nil until there is something to keep, then kept with the memory
	ctx          context.Context
	tool         tool.Tool
	host         *tool.Host // the Host of tool; nil if there is no tool
	loop         drive.Loop // tool as a drive.Loop
	spare        Spare      // makes the loop of a run that had none
	driver       uint64     // the goroutine that drives the run, for spare
	owner        Owner
	endedLevel   *Activation // the activation of sub-steps that have just ended, while Resume of their step runs
	cache        *Activation // the first of the activations that the run keeps; see cacheSize
	registration tool.Registration
}

// life holds the flags of one run. They are cleared together before the memory serves the next run.
type life struct {
	cancelDelivered bool // the cancel was delivered, which happens once
	hasEnded        bool
	beforeSteps     bool // beforeStep is called before each step
	watched         bool // somebody observes the run, see record.watcher
	narrow          bool // the loop allows only few steps in a turn, and they are granted one by one
	eager           bool // limits of steps are armed at once, not at the end of the turn
	ordered         bool // fibers in transit go first: see Frame.KeepOrder
	bound           bool // the end of ctx cancels the run, see Bind; for a part, the end of the context of the run around it
	closing         bool // a step has committed, and none has begun since: see Frame.Commit; only the loop changes it, under mu
	decided         bool // it is too late to cancel, whatever the alert says; mu guards it once other goroutines know the run; see seal
}

// record holds what many runs don't need: errors that occurred, state variables, an observer, parts.
type record struct {
	last   error   // the error raised last, which error_info and last_exception show outside of handlers; see keeper
	broken []error // errors for rules that the running code broke (E7), at most mostBroken
	unkept int     // number of further such errors, for which broken has no room
	result error
	vars   vars

	watcher *watcher // nil: nobody observes the run

	part     *Linger // the first of the parts that the end of the run has to wait for; nil if there are none
	forsaken bool    // a part was left behind
	lent     bool    // a part uses vars, or has used them
	borrows  bool    // the run is a part: vars is that of the run around it
	quits    bool    // the argument quits for conclude, which is called again when no part lingers any more

	standIn  *tool.Host // see StandIn; nil stands for usercode.Nobody
	ownClock bool       // the loop that spare makes may have a clock of its own, see StandIn
}

// errors returns r.record and makes it on first use.
func (r *Run) errors() *record {
	if r.record == nil {
		r.record = new(record)
	}
	return r.record
}

// doing is the kind of code that is running: it decides what happens after a panic.
type doing uint8

const (
	stepping  doing = iota // a body, or the machine itself
	handling               // an error handler
	hooking                // a cancel hook
	cleaning               // a cleanup of the step's stack
	watching               // a Watch, an error handler of the loop, or a function given to Later: a panic there isn't one of the step
	reporting              // methods of the user's error or cause (Error, Is, …), while the error of the run is made
	quitting               // methods of the cause of a cancel, while quit makes the error of the run
	remaining              // no code: the result is decided, and the run waits for parts that linger
)

// Root returns the activation that the run executes.
func (r *Run) Root() *Activation { return r.root }

// Tool returns the loop that the run lives on, and makes one if the run has none yet. It is for the goroutine of the
// loop.
func (r *Run) Tool() tool.Tool {
	r.needLoop()
	return r.tool
}

// Host returns the host of Tool, and is for the goroutine of the loop as well.
func (r *Run) Host() *tool.Host {
	r.needLoop()
	return r.host
}

// needLoop makes the loop of the run if there is none, and arms the limits that were set before. The caller may arm timers of
// its own, which must not go before those limits (T1).
func (r *Run) needLoop() {
	if r.tool == nil {
		r.moveIn()
	}
	if r.young != nil {
		r.armLimits()
	}
}

func (r *Run) moveIn() {
	t, l := r.spare(r.ctx, r.driver)
	r.moveInto(t, l, nil)
}

// Reserve returns the goroutines that call bodies of the run outside of its loop. The run must have a loop. Reserve returns nil
// on loops of other packages, and for a run that is observed: there each body gets a new goroutine, which inherits the labels
// that the observer may have set for the step.
func (r *Run) Reserve() *reserve.Reserve {
	if r.watched {
		return nil
	}
	return r.loop.Reserve()
}

// Looped reports whether the run has a loop by now.
func (r *Run) Looped() bool { return r.tool != nil }

// Home is Tool for any goroutine. The run must have a loop.
func (r *Run) Home() tool.Tool { return r.tool }

// StandIn sets the host that gets the reports about the run's context while the run has no loop. ownClock is true if the loop
// that the run may get can have a clock of its own.
func (r *Run) StandIn(host *tool.Host, ownClock bool) {
	k := r.errors()
	k.standIn, k.ownClock = host, ownClock
}

// Clock returns a host with the clock of the run's loop. It makes no loop for a run that has none, unless that loop may have a
// clock of its own: the clock of any other loop shows real time, as that of usercode.Nobody does.
func (r *Run) Clock() *tool.Host {
	if r.tool != nil {
		return r.host
	}
	if r.record == nil {
		return usercode.Nobody
	}
	return r.clockToCome()
}

// clockToCome is Clock for a run that has a record and no loop. It isn't a part of Clock, so that Clock can be inlined.
//
//go:noinline
func (r *Run) clockToCome() *tool.Host {
	if r.record.ownClock {
		return r.Host()
	}
	return usercode.Nobody
}

// Context returns the context that the run was started with, as one whose methods don't panic.
func (r *Run) Context() context.Context {
	host := r.host
	if host == nil && r.record != nil {
		host = r.record.standIn
	}
	r.ctx = usercode.Context(r.ctx, host)
	return r.ctx
}

// Vars returns the run's dynamic state (S1).
func (r *Run) Vars() *Vars { return (*Vars)(r) }

// Last returns the error raised last, even if a handler has recovered it since (E3); nil if none was raised.
func (r *Run) Last() error {
	if r.record == nil {
		return nil
	}
	return r.keeper().last
}

// remember makes err the error raised last.
func (r *Run) remember(err error) {
	k := r.record
	if k == nil || k.borrows {
		k = r.keeper() // a call that isn't inlined; most runs don't need it
	}
	k.last = err
}

// keeper returns the record that keeps the error raised last: for a part whose step still waits, that of the outermost run, see
// whole; otherwise that of r.
func (r *Run) keeper() *record {
	k := r.errors()
	if k.borrows {
		k = r.whole().record
	}
	return k
}

// current returns the error that the state variables show: while a handler runs, the error that it was called for; at other
// times the error raised last (E3).
func (r *Run) current() error {
	if r.doing == handling {
		return r.cur.err
	}
	return r.Last()
}
