package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// Tick is the virtual time of a tick.
const Tick = 10 * time.Millisecond

// errBudget is the error of a program with more actions than budget. It may be in an endless loop.
var errBudget = fault.New(fault.InternalError, "the program does too much")

// budget bounds how many actions, and lists of actions, a program carries out.
const budget = 20_000

// rootKey is the variable by which the steps of a model find out which root executes them.
var rootKey = step.NewVar[string]("_r")

// execution is a program while it runs. Only the goroutine that drives the loop uses it, so it needs no lock.
type execution struct {
	program *Program
	loop    tool.Tool
	began   time.Duration // the loop's time at tick 0
	guards  map[string]syncx.Guard
	labels  map[string]loopx.Label[none]
	models  map[string]flow.Model[Args, Args]
	runs    []*flow.Running[Args]
	budget  int
	trace   recorder
}

// none is the value of loops, which have no arguments in the dynamic API.
type none = struct{}

// Run executes a program and returns its trace. The options are those of the loop: tooltest.WithSeed draws the order of callbacks
// that are ready at the same time. It is an error if a root doesn't end, the program exceeds its budget, or something was reported
// to the loop.
func Run(p *Program, with ...tooltest.Option) (*Trace, error) {
	loop := tooltest.New(append([]tooltest.Option{tooltest.WithLimit(10 * budget)}, with...)...)
	return RunOn(p, loop, func() []error {
		loop.Run()
		return loop.Errors()
	})
}

// RunOn is [Run] on a loop of the caller. It calls drive once, after the program was queued. drive runs the loop until nothing is
// queued any more, and returns what was reported to the loop's error handler. All callbacks of the loop must run on the goroutine
// of RunOn. The clock of the loop must stand still while callbacks run, because it counts the ticks.
func RunOn(p *Program, loop tool.Tool, drive func() []error) (*Trace, error) {
	x := &execution{
		program: p,
		loop:    loop,
		began:   loop.Host().Now(),
		guards:  make(map[string]syncx.Guard, len(p.Sync)),
		labels:  make(map[string]loopx.Label[none]),
		models:  make(map[string]flow.Model[Args, Args], len(p.Models)),
		runs:    make([]*flow.Running[Args], len(p.Roots)),
		budget:  budget,
		trace:   newRecorder(len(p.Roots)),
	}
	for name, g := range p.Sync {
		x.guards[name] = g.make()
	}
	for i, r := range p.Roots {
		if !r.Spawn {
			plan := x.plan(i) // now, because the promises of the setup are made before the root starts
			x.after(r.At, func() { x.start(i, plan) })
		}
		if r.Cancel != nil {
			x.after(*r.Cancel, func() { x.cancel(i) })
		}
	}
	return x.end(drive())
}

func (x *execution) after(ticks int, fn func()) {
	if _, err := x.loop.Deferred(time.Duration(ticks)*Tick, fn); err != nil {
		x.trace.report(err)
	}
}

// plan executes the setup of a root and returns its steps.
func (x *execution) plan(i int) stage {
	r := x.program.Roots[i]
	c := &call{x: x, where: scene{root: strconv.Itoa(i)}, in: inSetup, state: unwrap(r.State)}
	c.do(r.Do)
	begin := step.Func(func(as step.Scope, _ Args) (Args, error) {
		rootKey.Set(as, c.where.root)
		for key, v := range c.state {
			as.State().Set(key, v)
		}
		return nil, nil
	})
	return flow.Then(begin, flow.Chain(c.steps...))
}

func (x *execution) start(i int, plan stage) {
	promise := x.program.Roots[i].Via == "promise"
	x.runs[i] = flow.Start(context.Background(), x.loop, plan, nil)
	x.runs[i].Then(func(out Args, err error) {
		switch {
		case err != nil:
			x.trace.failed(i, err)
		case promise && len(out) > 1:
			x.trace.succeeded(i, out[:1]) // a promise has one result
		default:
			x.trace.succeeded(i, out)
		}
	})
}

// errCancel is the cause with which roots are cancelled.
var errCancel = fault.New(fault.Cancelled, "the program says so")

func (x *execution) cancel(i int) {
	if run := x.runs[i]; run != nil {
		run.Cancel(errCancel)
	}
}

func (x *execution) spend() bool {
	x.budget--
	return x.budget >= 0
}

func (x *execution) now() int { return int((x.loop.Host().Now() - x.began) / Tick) }

// label returns the label with the given name. Loops with that name share the label: a signal goes to the innermost of them.
func (x *execution) label(name string) loopx.Label[none] {
	l, ok := x.labels[name]
	if !ok {
		l = loopx.NewLabel[none](name)
		x.labels[name] = l
	}
	return l
}

// end returns the trace, and an error that joins all problems: errors that were reported to the loop, a budget that was exceeded,
// and roots that haven't ended.
func (x *execution) end(reported []error) (*Trace, error) {
	problems := slices.Concat(x.trace.problems, reported)
	if x.budget < 0 {
		problems = append(problems, errBudget)
	}
	for i, run := range x.runs {
		if run == nil {
			continue
		}
		if _, err := run.Result(); errors.Is(err, flow.ErrRunning) {
			problems = append(problems, fmt.Errorf("root %d hasn't ended", i))
		}
	}
	return &x.trace.Trace, errors.Join(problems...)
}
