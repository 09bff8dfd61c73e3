package dyn

import (
	"context"
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// Root is a run that is made step by step and then executed, once (§2.2.3).
type Root struct {
	*memory // nil when the root is over
	tool    tool.Tool
	vars    map[string]any

	mu    sync.Mutex
	state rootState
	run   *frame.Run // while it is live
}

type rootState uint8

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
	m, ok := memories.Get().(*memory)
	if !ok {
		m = new(memory)
		m.home.inst = &m.inst
		m.top.home, m.top.at, m.top.sub = &m.home, m.home.level(0), m.home.level(0)
		m.inst.Init(&m.top.sub.program, nil)
	}
	m.home.report = t.Host().Report
	m.top.at.flow = flows.Add(1)
	m.top.sub.flow = m.top.at.flow
	return &Root{tool: t, memory: m}
}

// give gives the memory of a root that is over to another one. Nothing refers to it
// but handles of waits, which tell by their number that theirs is over.
// run is nil if there was none.
func (r *Root) give(run *frame.Run) {
	m := r.memory
	r.memory = nil
	m.top.sub.release()
	if run != nil {
		run.Recycle()
	}
	m.home.levels = m.home.levels[:len(m.home.levels)-1] // all but top.sub, which it stays
	m.top.rule, m.home.report = "", nil
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

// Execute queues the run on its loop. done is called there, once, with nil, the
// error of the run, or Cancelled. It fails, and doesn't call done, with ErrTwice,
// or if the loop takes no more runs. Any goroutine.
func (r *Root) Execute(done func(error)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	run, err := r.prepare(done)
	if err != nil {
		return err
	}
	if err := run.Launch(); err != nil {
		r.state = over
		r.give(run)
		return err
	}
	r.run, r.state = run, live
	return nil
}

// Begin is Execute by the loop itself: the run takes its first turn before it
// returns. The loop doesn't wait for it on shutdown.
func (r *Root) Begin(done func(error)) error {
	r.mu.Lock()
	run, err := r.prepare(done)
	if err == nil {
		r.run, r.state = run, live
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

func (r *Root) prepare(done func(error)) (*frame.Run, error) {
	if r.state != made {
		return nil, ErrTwice
	}
	if r.top.rule != "" {
		l := r.top.sub
		l.step(plain, nil, Code{}).rule = r.top.rule
		n := len(l.program.Ops) - 1
		l.program.Ops[0], l.program.Ops[n] = l.program.Ops[n], l.program.Ops[0]
	}
	run := frame.NewRun(&r.inst, frame.Config{
		Context: context.Background(), Tool: r.tool,
		Owner: frame.Ended(func(run *frame.Run) { r.end(run, done) }),
	})
	run.Vars().Merge(r.vars)
	return run, nil
}

// end is the last that is heard of the run.
func (r *Root) end(run *frame.Run, done func(error)) {
	err := run.Result()
	r.mu.Lock()
	r.run, r.state = nil, over
	r.mu.Unlock()
	r.give(run)
	done(err)
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
func (r *Root) Live() bool { return r.in(live) }

// Made says whether the run has not been executed. Any goroutine.
func (r *Root) Made() bool { return r.in(made) }

func (r *Root) in(state rootState) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state == state
}

// Drop gives back what a root that isn't executed holds.
func (r *Root) Drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state == made {
		r.state = over
		r.give(nil)
	}
}
