package laws_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/proptest/explore"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type world struct {
	loop   *tooltest.Loop
	events trace
	acts   int
	counts map[int]int // executions, by the number of the body or loop
	open   []outside   // waits for completions from outside of the loop
	stale  *step.Scope // scope of an earlier step
	cancel func()
}

type outside struct {
	act int
	end func()
}

func (w *world) note(e event) {
	e.at = w.loop.Now()
	w.events = append(w.events, e)
	if len(w.events) > outOfHand {
		// Neither a panic nor a failure of the test would stop the machine here.
		fmt.Fprintf(os.Stderr, "a run is out of hand: %d events\n%v", len(w.events), w.events[:100])
		os.Exit(1)
	}
}

// outOfHand is more events than drawn programs have.
const outOfHand = 200_000

func (w *world) begin(e event) int {
	w.acts++
	e.act = w.acts
	w.note(e)
	return w.acts
}

func (e event) in(as step.Scope) event {
	e.where = branches(as.Path())
	return e
}

var errStop = errors.New("the test cancels the run")

// A machine is a program built as a real plan. It may run many times, one run after the other.
type machine struct {
	p      *program
	b      *builder
	s      step.Step[int, int]
	settle func()                         // called before each callback; waits until all goroutines are blocked, if there are any
	home   func(*tooltest.Loop) tool.Tool // what a run is started on; nil for the loop itself
}

func build(p *program) *machine {
	b := newBuilder(p)
	return &machine{p: p, b: b, s: b.stage(p.plan), settle: func() {}}
}

// run executes the program on loop. drive runs the loop; it calls offer for the possible events from outside.
func (m *machine) run(loop *tooltest.Loop, drive func(offer func() []explore.Action) error) (trace, error) {
	w := &world{loop: loop, counts: map[int]int{}}
	m.b.w = w
	m.b.renew(m.p)
	var home tool.Tool = loop
	if m.home != nil {
		home = m.home(loop)
	}
	run := flow.Start(context.Background(), home, m.s, m.p.input)
	w.cancel = func() { run.Cancel(errStop) }
	over := false
	var wrong error
	run.Then(func(v int, err error) {
		over = true
		wrong = whole(err)
		for _, told := range loop.Errors() {
			w.note(event{what: eTold, said: brief(told)})
		}
		w.note(event{what: eEnd, value: v, code: fault.CodeOf(err), said: said(err)})
	})
	stop := func() {
		w.note(event{what: eCancel})
		w.cancel()
	}
	stopped := false
	callbacks := 0
	err := drive(func() []explore.Action {
		m.settle()
		if callbacks == m.p.cancel && !over {
			stopped = true
			stop()
		}
		callbacks++
		var actions []explore.Action
		for i, o := range w.open {
			actions = append(actions, explore.Action{Name: fmt.Sprint("outside ends wait ", o.act), Do: func() {
				w.open = append(w.open[:i:i], w.open[i+1:]...)
				o.end()
			}})
		}
		if len(actions) == 0 && loop.Pending() == 0 && !over && !stopped {
			stopped = true
			stop() // otherwise it would wait for ever
		}
		return actions
	})
	if err == nil && !over {
		err = errors.New("the run hasn't ended")
	}
	return w.events, errors.Join(err, wrong, m.judge(loop))
}

// whole returns what is wrong with the error of a run: another type than *fault.Error, a nil secondary error, or a missing
// place or trail, which only a cancelled run may lack.
func whole(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return fmt.Errorf("the run ended with a %T", err)
	case slices.Contains(e.Secondary, nil):
		return fmt.Errorf("a secondary error is nil: %+v", err)
	case e.Code != fault.Cancelled && e.Path == "":
		return fmt.Errorf("the error has no place: %+v", err)
	case e.Code != fault.Cancelled && len(e.Unwind) == 0:
		return fmt.Errorf("the error has no trail: %+v", err)
	default:
		return nil
	}
}

func (m *machine) judge(loop *tooltest.Loop) error {
	for i, g := range m.b.guards {
		if g.Inside() != 0 || g.Queued() != 0 {
			return fmt.Errorf("guard %d has %d inside and %d queued when all is over", i, g.Inside(), g.Queued())
		}
	}
	for _, err := range loop.Errors() {
		// the machine reports errors as well, such as those met while a break leaves steps; they are no defect
		if _, panicked := errors.AsType[*tool.PanicError](err); panicked || errors.Is(err, tooltest.ErrLimit) {
			return fmt.Errorf("the loop was told: %w", err)
		}
	}
	return nil
}

// plain runs the program in the order of the real loops.
func (m *machine) plain() (trace, error) {
	return m.stepped(tooltest.New())
}

// stepped runs the program in the loop's own order.
func (m *machine) stepped(loop *tooltest.Loop) (trace, error) {
	return m.run(loop, func(offer func() []explore.Action) error {
		for {
			actions := offer()
			switch {
			case loop.Pending() > 0:
				loop.Step()
			case len(actions) > 0:
				actions[0].Do()
			default:
				return nil
			}
		}
	})
}

// under runs the program in the order of a schedule. It returns the schedule that was taken, which may be shorter or longer.
func (m *machine) under(s explore.Schedule) (t trace, taken explore.Schedule, err error) {
	next := 0
	taken, err = explore.Try(func(n int) int {
		if next++; next > len(s) {
			return 0
		}
		return s[next-1] % n
	}, func(x *explore.Trial) error {
		t, err = m.run(x.Loop(), x.Drive)
		return err
	})
	return t, taken, err
}
