package dyn

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Root is a run that is made step by step and then executed, once (§2.2.3).
type Root struct {
	*memory // nil when the root is over
	tool    tool.Tool
	vars    map[string]any

	state atomic.Uint32 // a rootState; set with mu
	mu    sync.Mutex
	owner Owner      // since it was executed
	run   *frame.Run // while it is live
}

// Owner is told of the end of its root, once, on the root's loop, with nil, the error
// of the run, or Cancelled.
type Owner interface{ Ended(err error) }

// Ended is a function as an Owner.
type Ended func(err error)

// Ended calls f.
func (f Ended) Ended(err error) { f(err) }

type rootState = uint32

const (
	made rootState = iota
	live
	over
)

// ErrTwice is the violation of executing a root again.
var ErrTwice = fault.New(fault.InternalError, "the root was executed before")

// memory is what a root needs to be made and to run. It serves one root after the
// other, with the steps and levels of its home.
type memory struct {
	home home
	inst frame.Activation
	top  Step
}

var memories sync.Pool // of *memory

// kept is how many free steps a memory may have that waits for another root.
const kept = 256

// NewRoot makes a root without steps that will live on t.
func NewRoot(t tool.Tool) *Root {
	r := new(Root)
	r.Init(t)
	return r
}

// Init makes a new Root, or one that is over, what NewRoot returns.
func (r *Root) Init(t tool.Tool) {
	m, ok := memories.Get().(*memory)
	if !ok {
		m = new(memory)
		m.home.inst = &m.inst
		m.top.home, m.top.at, m.top.sub = &m.home, m.home.level(0), m.home.level(0)
		m.inst.Init(&m.top.sub.program, nil)
	}
	m.home.host, m.home.root = t.Host(), r
	m.top.at.flow = flows.Add(1)
	m.top.sub.flow = m.top.at.flow
	r.tool, r.memory, r.vars, r.owner = t, m, nil, nil
	r.state.Store(made)
}

// give gives the memory of a root that is over to another one. Nothing refers to it
// but handles of waits, which tell by their number that theirs is over.
// run is nil if there was none.
func (r *Root) give(run *frame.Run) {
	m := r.memory
	r.memory, r.vars = nil, nil
	m.top.sub.release()
	if run != nil {
		run.Recycle()
	}
	m.home.levels = m.home.levels[:len(m.home.levels)-1] // all but top.sub, which it stays
	m.top.rule, m.home.host, m.home.root = "", nil, nil
	if len(m.home.steps) <= kept {
		memories.Put(m)
	}
}

// Top is what steps are added to until Execute.
func (r *Root) Top() *Step { return &r.top }

// Tool is the loop that the root lives on.
func (r *Root) Tool() tool.Tool { return r.tool }

// SetVars gives the state variables that the run begins with, and that
// [Step.Copy] merges. Before Execute.
func (r *Root) SetVars(vars map[string]any) { r.vars = vars }

// Flow names the run's main fiber.
func (r *Root) Flow() uintptr { return r.top.Flow() }

// Execute queues the run on its loop. It fails, and doesn't tell the owner of an end,
// with ErrTwice, or if the loop takes no more runs. Any goroutine.
func (r *Root) Execute(o Owner) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	run, err := r.prepare(o)
	if err != nil {
		return err
	}
	r.state.Store(live) // first: from then on the steps may run, and ask
	if err := run.Launch(); err != nil {
		r.state.Store(over)
		r.give(run)
		return err
	}
	r.run = run
	return nil
}

// Begin is Execute by the loop itself: the run takes its first turn before it
// returns. The loop doesn't wait for it on shutdown.
func (r *Root) Begin(o Owner) error {
	r.mu.Lock()
	run, err := r.prepare(o)
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

// Turn lets a run go on at once that something has happened to. The loop only.
func (r *Root) Turn() {
	r.mu.Lock()
	run := r.run
	r.mu.Unlock()
	if run != nil {
		run.Turn()
	}
}

func (r *Root) prepare(o Owner) (*frame.Run, error) {
	if r.state.Load() != made {
		return nil, ErrTwice
	}
	if r.top.rule != "" {
		l := r.top.sub
		l.step(plain, nil, Code{}).rule = r.top.rule
		n := len(l.program.Ops) - 1
		l.program.Ops[0], l.program.Ops[n] = l.program.Ops[n], l.program.Ops[0]
	}
	run := frame.NewRun(&r.inst, frame.Config{
		Context: context.Background(), Tool: r.tool, Owner: (*rootRun)(r),
	})
	r.owner = o
	run.Vars().Merge(r.vars)
	return run, nil
}

// rootRun is a root as the owner of its run.
type rootRun Root

// Ended implements frame.Owner.
func (r *rootRun) Ended(run *frame.Run) { (*Root)(r).end(run) }

// end is the last that is heard of the run.
func (r *Root) end(run *frame.Run) {
	err := run.Result()
	r.mu.Lock()
	r.run = nil
	r.state.Store(over)
	r.mu.Unlock()
	r.give(run)
	r.owner.Ended(err)
}

// Vars is the state of a live run; nil before and after. The run's loop only.
func (r *Root) Vars() *frame.Vars {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		return nil
	}
	return r.run.Vars()
}

// Cancel asks the run to end (C1); false if it isn't live. Any goroutine.
func (r *Root) Cancel(cause error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.run == nil {
		return false
	}
	r.run.Cancel(cause)
	return true
}

// Live says whether the run has been executed and hasn't ended. Any goroutine.
func (r *Root) Live() bool { return r.state.Load() == live }

// Made says whether the run has not been executed. Any goroutine.
func (r *Root) Made() bool { return r.state.Load() == made }

// Drop gives back what a root that isn't executed holds.
func (r *Root) Drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Load() == made {
		r.state.Store(over)
		r.give(nil)
	}
}
