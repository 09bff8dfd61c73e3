package script

import (
	"strconv"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Parallel adds a step with branches. The branches get no arguments, and their results are dropped (P2).
type Parallel struct {
	ID       int      `json:"id"`
	Branches []Step   `json:"branches"`
	Catch    *Actions `json:"catch,omitempty"`
}

func (a *Parallel) check(k *checker) {
	k.within("parallel", building)
	k.id(a.ID)
	for i := range a.Branches {
		k.step(&a.Branches[i])
	}
	k.handler(a.Catch)
}

func (a *Parallel) run(c *call) {
	branches := make([]stage, len(a.Branches))
	for i := range a.Branches {
		where := c.where
		where.path += "/" + strconv.Itoa(a.ID) + "." + strconv.Itoa(i)
		branches[i] = flow.Then(step.Map(drop[Args]), c.x.step(&a.Branches[i], where))
	}
	s := flow.Then(flow.Par(branches...), step.Map(drop[[]Args]))
	if a.Catch == nil {
		c.add(s)
		return
	}
	c.add(flow.Catch(s, c.x.handler(c.where, a.ID, false, *a.Catch)))
}

func drop[T any](T) Args { return nil }
