package mistakes_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// mistake is a program with a mistake of order.
type mistake struct {
	name  string
	what  string // what goes wrong, for the table
	body  func(p *program) error
	apart bool // the program has parts that share nothing
}

// program is one execution of a mistake's program.
type program struct {
	*explore.Trial
	fixed    bool // without the mistake
	declared bool // parts are declared
	runs     []*flow.Running[step.Unit]
}

// test returns the program as the body of a test.
func (m *mistake) test(fixed, declared bool) explore.Body {
	return func(x *explore.Trial) error {
		if declared {
			x.NotesApart()
		}
		return m.body(&program{Trial: x, fixed: fixed, declared: declared})
	}
}

// act is a step that is executed for its effect.
type act = step.Step[step.Unit, step.Unit]

func call(f func()) act {
	return step.Map(func(u step.Unit) step.Unit {
		f()
		return u
	})
}

// hop waits for an answer that is ready: anything may come before it.
func hop() act {
	return step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		return step.Wait(as, func(done step.Done[step.Unit]) {
			_, _ = as.Loop().Immediate(func() { done.Succeed(u) })
		})
	})
}

func hops(n int) act {
	var stages []act
	for range n {
		stages = append(stages, hop())
	}
	return flow.Chain(stages...)
}

// locked returns plan, inside of a section if the mistake is mended.
func (p *program) locked(m *syncx.Mutex, plan act) act {
	if p.fixed {
		return syncx.Sync(m, plan)
	}
	return plan
}

func mutex() *syncx.Mutex { return syncx.NewMutex(1, -1) }

type event struct {
	happened bool
	waiting  []step.Done[step.Unit]
}

func (e *event) set() {
	e.happened = true
	e.wake()
}

func (e *event) wake() {
	for _, done := range e.waiting {
		done.Succeed(step.Unit{})
	}
	e.waiting = nil
}

func (e *event) wait() act {
	return step.New(func(as step.Scope, u step.Unit) step.Next[step.Unit] {
		if e.happened {
			return step.Succeed(u)
		}
		return step.Wait(as, e.enqueue)
	})
}

func (e *event) enqueue(done step.Done[step.Unit]) { e.waiting = append(e.waiting, done) }

// core is the name of the part with the mistake.
func (p *program) core() string {
	if p.declared {
		return "core"
	}
	return ""
}

func (p *program) start(stages ...act) (run *flow.Running[step.Unit]) {
	p.apart(p.core(), func() { run = p.begin(stages...) })
	return run
}

func (p *program) apart(name string, begin func()) {
	if p.declared {
		p.Apart(name, begin)
	} else {
		begin()
	}
}

func (p *program) begin(stages ...act) *flow.Running[step.Unit] {
	run := explore.Start(context.Background(), p.Trial, flow.Chain(stages...), step.Unit{})
	p.runs = append(p.runs, run)
	return run
}

// others begins n runs of some waits that have nothing to do with the mistake.
func (p *program) others(n, waits int) {
	for i := range n {
		p.apart(fmt.Sprint("other ", i), func() { p.begin(hops(waits)) })
	}
}

// when returns an action from outside.
func (p *program) when(name string, do func()) explore.Action {
	return explore.Action{Name: name, Part: p.core(), Do: do}
}

// begins returns an action that begins a run.
func (p *program) begins(name string, stages ...act) explore.Action {
	return p.when(name, func() { p.begin(stages...) })
}

// ends drives the trial to its end. It returns an error unless each run has succeeded or was cancelled.
func (p *program) ends(actions ...explore.Action) error {
	if err := p.Run(actions...); err != nil {
		return err
	}
	for i, run := range p.runs {
		if _, err := run.Result(); err != nil && !errors.Is(err, fault.Cancelled) {
			return fmt.Errorf("run %d: %w", i, err)
		}
	}
	return nil
}

func expect(what string, got, want int) error {
	if got != want {
		return fmt.Errorf("%s: %d, want %d", what, got, want)
	}
	return nil
}
