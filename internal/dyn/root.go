package dyn

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Root is a run whose steps are added one by one before it is executed (§2.2.3). When it has ended it may be given steps
// and executed again (B12).
type Root struct {
	*memory // nil when the root is over, until the next run is prepared
	tool    tool.Tool
	flow    uintptr // identifies the main fiber of each run of the root
	vars    map[string]any

	state atomic.Uint32 // a rootState; except by Init, written while mu is held
	mu    sync.Mutex
	owner Owner      // the argument of Execute or Begin
	run   *frame.Run // nil unless the run is live
}

// Owner is told of the end of a run of its root. Ended is called once for each run, on the root's loop, with nil or the error
// of the run. cancelled tells that the run was cancelled; a step may also fail with the code Cancelled by itself.
type Owner interface {
	Ended(err error, cancelled bool)
}

// Ended is an [Owner] made of a function.
type Ended func(err error)

// Ended calls f.
func (f Ended) Ended(err error, _ bool) { f(err) }

type rootState = uint32

const (
	made rootState = iota
	live
	over
)

// ErrTwice is the error of executing a root while it executes (E7).
var ErrTwice = fault.New(fault.InternalError, "the root is executing")

// memory holds the steps and levels of a root while it is built and executed. A memory serves one root after the other,
// and keeps the free steps and levels in its home.
type memory struct {
	home home
	inst frame.Activation
	top  Step
}

var memories sync.Pool // of *memory

// kept is the largest number of free steps in a memory that is put into the pool.
const kept = 256

// NewRoot makes a root without steps, whose run will live on t.
func NewRoot(t tool.Tool) *Root {
	r := new(Root)
	r.Init(t)
	return r
}

// Init makes r a root without steps, as NewRoot does. r is a zero Root, or one that has ended.
func (r *Root) Init(t tool.Tool) {
	r.tool, r.flow, r.vars, r.owner = t, flows.Add(1), nil, nil
	r.prepare()
	r.state.Store(made)
}

func (r *Root) prepare() {
	m, ok := memories.Get().(*memory)
	if !ok {
		m = new(memory)
		m.home.inst = &m.inst
		m.top.home, m.top.at, m.top.sub = &m.home, m.home.level(0), m.home.level(0)
		m.inst.Init(&m.top.sub.program, nil)
	}
	m.home.host, m.home.root = r.tool.Host(), r
	m.top.at.flow, m.top.sub.flow = r.flow, r.flow
	r.memory = m
}

// detach takes the memory from a root whose run has ended, or won't begin. prepare gives the root another one.
func (r *Root) detach() *memory {
	m := r.memory
	r.memory, r.vars = nil, nil
	return m
}

// free releases what m, which detach has taken from a root, still holds, and puts m into the pool unless it is too large. Handles
// of waits are the only references to m that may be left, and find by their generation that they are out of date. run is nil if
// the root is dropped. The caller doesn't hold mu: free calls Leave for the peers of steps that never began, and Leave may use the
// root.
func (m *memory) free(run *frame.Run) {
	defer m.store(run) // also if the release of a value has ended the goroutine
	m.home.finish(m.top.sub.release)
}

// store gives back the run, and the memory, which holds nothing any more.
func (m *memory) store(run *frame.Run) {
	if run != nil {
		run.Recycle()
	}
	m.home.levels = m.home.levels[:len(m.home.levels)-1] // without top.sub, which release has added and top keeps
	m.top.rule, m.home.host, m.home.root = "", nil, nil
	if len(m.home.steps) <= kept {
		memories.Put(m)
	}
}

// Top returns the step to which steps are added before Execute, and again after the end of the run.
func (r *Root) Top() *Step {
	if r.memory == nil {
		r.prepare()
	}
	return &r.top
}

// Tool returns the loop that the root's run lives on.
func (r *Root) Tool() tool.Tool { return r.tool }

// SetVars sets the state variables that the next run begins with, and only that one.
func (r *Root) SetVars(vars map[string]any) { r.vars = vars }

// Flow identifies the run's main fiber, see [Step.Flow].
func (r *Root) Flow() uintptr { return r.flow }

// Execute queues the run on its loop. It fails with ErrTwice if the root is executing, and with the loop's error if the
// loop takes no more runs; in both cases Ended isn't called. Ended may execute the root again.
// Any goroutine may call it.
func (r *Root) Execute(o Owner) error {
	run, unused, err := r.launch(o)
	if unused != nil {
		unused.free(run)
	}
	return err
}

// launch queues the run. If the loop refuses it, the root is over, and the caller frees unused, the memory of the run.
func (r *Root) launch(o Owner) (run *frame.Run, unused *memory, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run, err = r.newRun(o); err != nil {
		return nil, nil, err
	}
	r.state.Store(live) // stored before the run is queued: its steps may run at once and ask for the state
	if err = run.Launch(); err != nil {
		r.state.Store(over)
		return run, r.detach(), err
	}
	r.run = run
	return run, nil, nil
}

// Begin is Execute for a caller on the loop: the run takes its first turn before Begin returns. The loop neither
// refuses this run nor waits for it on shutdown.
func (r *Root) Begin(o Owner) error {
	r.mu.Lock()
	run, err := r.newRun(o)
	if err == nil {
		run.Wake()
		r.run = run
		r.state.Store(live)
	}
	r.mu.Unlock()
	if err == nil {
		run.Turn()
	}
	return err
}

// Turn lets the run go on now, if a wait was completed or the run was cancelled, instead of when the loop reaches it in its
// queue. Only the goroutine of the loop may call it.
func (r *Root) Turn() {
	r.mu.Lock()
	run := r.run
	r.mu.Unlock()
	if run != nil {
		run.Turn()
	}
}

// newRun makes the run of the steps that were added; mu is held.
func (r *Root) newRun(o Owner) (*frame.Run, error) {
	if r.state.Load() == live {
		return nil, ErrTwice
	}
	if r.memory == nil {
		r.prepare()
	}
	if r.top.rule != "" {
		l := r.top.sub
		l.step(plain, nil, Code{}).rule = r.top.rule
		n := len(l.program.Ops) - 1
		l.program.Ops[0], l.program.Ops[n] = l.program.Ops[n], l.program.Ops[0]
	}
	run := frame.NewRun(&r.inst, &frame.Config{
		Context: context.Background(), Tool: r.tool, Owner: (*rootRun)(r),
	})
	r.owner = o
	run.Vars().Merge(r.vars)
	return run, nil
}

type rootRun Root

// Ended implements frame.Owner.
func (r *rootRun) Ended(run *frame.Run) { (*Root)(r).end(run) }

// end frees the memory of the run, marks the root as over and tells the owner. The machine calls it once the run has
// ended. The root is over only when the memory is free: from then on another goroutine may prepare the next run.
func (r *Root) end(run *frame.Run) {
	err, cancelled := run.Result(), run.WasCancelled()
	r.mu.Lock()
	r.run = nil
	o := r.owner
	r.mu.Unlock()
	defer func() { // also if the release of a value has ended the goroutine
		r.mu.Lock()
		r.state.Store(over)
		r.mu.Unlock()
		o.Ended(err, cancelled)
	}()
	r.detach().free(run)
}

// Vars returns the state of a live run, or nil before and after. Only the goroutine of the run's loop may call it.
func (r *Root) Vars() *frame.Vars {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		return nil
	}
	return r.run.Vars()
}

// Cancel asks the run to end (C1). It reports false if the run isn't live. Any goroutine may call it.
func (r *Root) Cancel(cause error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		return false
	}
	r.run.Cancel(cause)
	return true
}

// Live reports whether the root was executed and its run hasn't ended. Any goroutine may call it.
func (r *Root) Live() bool { return r.state.Load() == live }

// Made reports whether the root was neither executed nor dropped since Init. Any goroutine may call it.
func (r *Root) Made() bool { return r.state.Load() == made }

// Drop frees the steps and values of a root. It does nothing while the root is executing.
func (r *Root) Drop() {
	var unused *memory
	r.mu.Lock()
	if r.state.Load() != live && r.memory != nil {
		r.state.Store(over)
		unused = r.detach()
	}
	r.mu.Unlock()
	if unused != nil {
		unused.free(nil)
	}
}
