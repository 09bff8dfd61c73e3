package script

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

type stage = step.Step[Args, Args]

// call is one call of a callback. In the dynamic API a callback acts on its step: it adds sub-steps, or completes the step. In
// the typed API a callback returns how the step goes on. So call collects what the callback does until it returns.
type call struct {
	x     *execution
	where scene
	as    step.Scope // not set in a setup
	in    callback
	id    int // the ID of the step or loop
	quiet bool
	args  Args
	err   error          // only in a handler
	state map[string]any // the state of the flow that is being set up; nil outside of a setup

	steps  []stage                // the sub-steps added so far
	answer func() step.Next[Args] // completes the step; nil if the callback hasn't done that
	wait   func(step.Done[Args])  // begins the wait if waits is true; nil if nothing will complete it
	waits  bool
}

// scene is the place in a program where a callback was made.
type scene struct {
	root  string // the number of the root; "" in a shared model, whose root is found in the state of the run
	path  string // the branches around the callback, as in /4.1
	turns *turn
}

// turn is the loop iteration in which a function was created.
type turn struct {
	loop, index int
	outer       *turn
}

func (x *execution) step(s *Step, where scene) stage {
	body := x.callback(where, s, s.Do)
	if s.Catch == nil {
		return body
	}
	return flow.Catch(body, x.handler(where, s.ID, s.Quiet, *s.Catch))
}

func (x *execution) callback(where scene, s *Step, do Actions) stage {
	return step.New(func(as step.Scope, args Args) step.Next[Args] {
		c := &call{x: x, where: where.of(as), as: as, in: inBody, id: s.ID, quiet: s.Quiet, args: args}
		c.event("step", s.ID)
		c.do(do)
		return c.next()
	})
}

func (x *execution) handler(where scene, id int, quiet bool, do Actions) func(step.Scope, error) step.Next[Args] {
	return func(as step.Scope, err error) step.Next[Args] {
		c := &call{x: x, where: where.of(as), as: as, in: inHandler, id: id, quiet: quiet, err: err}
		code := fault.CodeOf(err)
		if hidesInfo(code) {
			c.event("catch", id, code)
		} else {
			c.event("catch", id, code, c.errorInfo())
		}
		c.do(do)
		return c.next()
	}
}

// of returns w with its root. The steps of a shared model may be executed by any root, so their root comes from the state of the
// run.
func (w scene) of(as step.Scope) scene {
	if w.root == "" {
		w.root, _ = rootKey.Get(as)
	}
	return w
}

// do runs actions until one has completed the callback. The list itself counts as an action for the budget, so that a loop
// without actions ends as well.
func (c *call) do(actions Actions) {
	if !c.x.spend() {
		c.fail(errBudget)
	}
	for _, a := range actions {
		if c.answer != nil {
			return
		}
		if !c.x.spend() {
			c.fail(errBudget)
			return
		}
		a.run(c)
	}
}

func (c *call) add(s stage) { c.steps = append(c.steps, s) }

func (c *call) fail(err error) {
	c.answer = func() step.Next[Args] { return step.Fail[Args](err) }
}

var errCompleted = fault.New(fault.InternalError, "completed a step that has sub-steps")

func (c *call) next() step.Next[Args] {
	switch {
	case c.answer != nil && len(c.steps) > 0:
		return step.Fail[Args](errCompleted) // the sub-steps would not run
	case c.answer != nil:
		return c.answer()
	case len(c.steps) > 0:
		return step.Into(c.as, flow.Chain(c.steps...), nil)
	case c.waits && c.in != inHandler:
		return step.Wait(c.as, c.wait)
	default:
		return step.Next[Args]{}
	}
}
