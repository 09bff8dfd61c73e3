package script

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
)

// SetTimeout limits the step.
type SetTimeout struct {
	Ticks int `json:"ticks"`
}

func (a *SetTimeout) check(k *checker) {
	k.within("setTimeout", running)
	k.need(a.Ticks > 0, "a timeout must be positive")
}

func (a *SetTimeout) run(c *call) { c.as.SetTimeout(time.Duration(a.Ticks) * Tick) }

// SetCancel installs a cancel hook.
type SetCancel struct {
	Do Actions `json:"do"`
}

func (a *SetCancel) check(k *checker) {
	k.within("setCancel", running)
	k.list(inHook, a.Do)
}

func (a *SetCancel) run(c *call) {
	c.as.SetCancel(func() {
		hook := &call{x: c.x, where: c.where, as: c.as, in: inHook, id: c.id, quiet: c.quiet}
		hook.event("cancel", c.id)
		hook.do(a.Do)
	})
}

// WaitExternal makes the step wait if the body neither completes the step nor adds sub-steps. In a handler it does nothing.
type WaitExternal struct{}

func (*WaitExternal) check(k *checker) { k.within("waitExternal", running) }

func (*WaitExternal) run(c *call) { c.waits = true }

// Wait makes the step wait, as WaitExternal does. After some ticks the step is completed from outside.
type Wait struct {
	Ticks int      `json:"ticks"`
	Then  *Outcome `json:"then,omitempty"` // nil: success without arguments
}

// Outcome is a success or an error.
type Outcome struct {
	Success *Args   `json:"success,omitempty"`
	Error   *string `json:"error,omitempty"`
	Info    string  `json:"info,omitempty"`
}

func (a *Wait) check(k *checker) {
	k.within("wait", running)
	k.need(a.Ticks >= 0, "a wait is negative")
	if a.Then != nil {
		k.need((a.Then.Success == nil) != (a.Then.Error == nil), "an outcome is either success or error")
	}
	if a.Then != nil && a.Then.Success != nil {
		k.args(*a.Then.Success)
	}
}

func (a *Wait) run(c *call) {
	c.waits = true
	c.wait = func(done step.Done[Args]) {
		// A completion after the end of the step does nothing (C6).
		c.x.after(a.Ticks, func() { a.Then.give(done) })
	}
}

func (o *Outcome) give(done step.Done[Args]) {
	switch {
	case o == nil:
		done.Succeed(nil)
	case o.Error != nil:
		done.Fail(fault.New(fault.Code(*o.Error), o.Info))
	default:
		done.Succeed(*o.Success)
	}
}
