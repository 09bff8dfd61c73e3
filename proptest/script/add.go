package script

import (
	"slices"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
)

// Add adds a step.
type Add struct {
	Step *Step `json:"step"`
}

func (a *Add) check(k *checker) {
	k.within("add", building)
	k.step(a.Step)
}

func (a *Add) run(c *call) { c.add(c.x.step(a.Step, c.where)) }

// SuccessStep adds a step that gives a fixed result.
type SuccessStep struct {
	Args Args `json:"args"`
}

func (a *SuccessStep) check(k *checker) {
	k.within("successStep", building)
	k.args(a.Args)
}

func (a *SuccessStep) run(c *call) { c.add(flow.Value[Args](slices.Clip(a.Args))) }

// OuterAdd adds a step to the root of a running flow, which isn't allowed (E7). The typed API can't express that, so OuterAdd
// fails the step that carries it out.
type OuterAdd struct{}

func (*OuterAdd) check(k *checker) { k.within("outerAdd", inBody) }

var errOuterAdd = fault.New(fault.InternalError, "added a step to a flow that is running")

func (*OuterAdd) run(c *call) { c.fail(errOuterAdd) }
