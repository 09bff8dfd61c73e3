package op

import (
	"github.com/futoin-go/asyncsteps/internal/plan"
	"time"
)

type graced[In, Out any] struct {
	group[In, Out]
	grace time.Duration
}

// Grace implements frame.Gracer.
func (o *graced[In, Out]) Grace() (time.Duration, bool) { return o.grace, true }

// Grace runs s with the grace d: how long a step of s may take to end when it is left. Below zero there is no limit.
func Grace[In, Out any](d time.Duration, s *plan.Stage[In, Out]) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("grace", func(e *plan.Emitter, n *plan.Node) {
		holding(e, s.Node(), func(e *plan.Emitter, g group[In, Out], body plan.Held) { e.Op(n, &graced[In, Out]{g, d}, body) })
	}, s.Node())
	n.Tell(func() []plan.Parameter { return []plan.Parameter{plan.AtMost("grace", d)} })
	if d == 0 {
		n.Reject("Grace: the grace must not be zero")
	}
	return plan.NewStage[In, Out](n)
}
