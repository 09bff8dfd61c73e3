package script

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// Success completes the step.
type Success struct {
	Args Args `json:"args"`
}

func (a *Success) check(k *checker) {
	k.within("success", running)
	k.args(a.Args)
}

func (a *Success) run(c *call) {
	c.answer = func() step.Next[Args] { return step.Succeed(a.Args) }
}

// Error fails the step.
type Error struct {
	Code string `json:"code"`
	Info string `json:"info,omitempty"`
}

func (a *Error) check(k *checker) { k.within("error", running) }

func (a *Error) run(c *call) { c.fail(fault.New(fault.Code(a.Code), a.Info)) }

// Break ends a loop.
type Break struct {
	Label *string `json:"label,omitempty"`
}

func (a *Break) check(k *checker) { k.within("break", running) }

func (a *Break) run(c *call) {
	c.answer = func() step.Next[Args] {
		if a.Label == nil {
			return loopx.Break[Args]()
		}
		return loopx.BreakTo[Args](c.x.label(*a.Label), none{})
	}
}

// Continue ends an iteration of a loop.
type Continue struct {
	Label *string `json:"label,omitempty"`
}

func (a *Continue) check(k *checker) { k.within("continue", running) }

func (a *Continue) run(c *call) {
	c.answer = func() step.Next[Args] {
		if a.Label == nil {
			return loopx.Continue[Args]()
		}
		return loopx.ContinueTo[Args](c.x.label(*a.Label), none{})
	}
}
