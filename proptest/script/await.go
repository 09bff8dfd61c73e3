package script

import (
	"context"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Await adds a step that waits for a promise.
type Await struct {
	ID      int      `json:"id"`
	Promise Promise  `json:"promise"`
	Catch   *Actions `json:"catch,omitempty"`
}

// Promise is settled Delay ticks after it was made. It is rejected with the code Reject, or resolved if Reject is nil.
type Promise struct {
	Resolve Value   `json:"resolve,omitzero"`
	Reject  *string `json:"reject,omitempty"`
	Delay   int     `json:"delay"`
}

func (a *Await) check(k *checker) {
	k.within("await", building)
	k.need(a.Promise.Resolve.X == nil || a.Promise.Reject == nil, "a promise can't both resolve and reject")
	k.need(a.Promise.Delay >= 0, "a promise has a negative delay")
	k.id(a.ID)
	k.handler(a.Catch)
}

func (a *Await) run(c *call) {
	promised := flow.Start(context.Background(), c.x.loop, c.x.promise(a.Promise), none{})
	s := flow.AwaitRun(func(context.Context, Args) *flow.Running[Args] { return promised })
	if a.Catch == nil {
		c.add(s)
		return
	}
	c.add(flow.Catch(s, c.x.handler(c.where, a.ID, false, *a.Catch)))
}

func (x *execution) promise(p Promise) step.Step[none, Args] {
	return step.New(func(as step.Scope, _ none) step.Next[Args] {
		return step.Wait(as, func(done step.Done[Args]) {
			x.after(p.Delay, func() {
				if p.Reject != nil {
					done.Fail(fault.New(fault.Code(*p.Reject), ""))
				} else {
					done.Succeed(Args{p.Resolve})
				}
			})
		})
	})
}
