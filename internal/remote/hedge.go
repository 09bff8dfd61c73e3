package remote

import (
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Hedge returns a plan that begins another attempt, up to hedges times, whenever delay has passed without a result. It
// differs from flow.Hedge in one thing: after a failure no other attempt begins, because the retry around the plan answers
// failures. The attempts that have begun may still succeed. When all of these have failed, the plan fails.
func Hedge[In, Out any](delay time.Duration, hedges int, attempt step.Step[In, Out]) flow.Plan[In, Out] {
	nodes := slices.Repeat([]*plan.Node{attempt.Stage().Node()}, 1+min(max(hedges, 0), mostHedges))
	terms := op.Terms{Wins: 1, Losses: len(nodes) - 1, Stagger: delay, OnlyLate: true}
	s := op.Race[In]("hedge", terms, nodes, func(r op.Results) Out { return op.ResultOf[Out](r, r.Won(0)) })
	s.Node().Tell(func() []plan.Parameter { return []plan.Parameter{plan.Set("delay", delay)} })
	return flow.Of(s)
}
