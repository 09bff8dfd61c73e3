package flow

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Hedge is [First] for branches that begin one after the other: each when the one before it has been running
// for delay, or when a branch has failed. If the first branch is quick, the others never begin. Several
// branches may be the same step:
//
//	flow.Hedge(50*time.Millisecond, here, elsewhere, here)
//
// Plan.Err reports a delay that isn't positive.
//
//spec:ftn12 §1.4, §2.2.1 parallel
func Hedge[In, Out any](delay time.Duration, branches ...step.Step[In, Out]) Plan[In, Out] {
	s := one("Hedge", op.Terms{Wins: 1, Losses: len(branches) - 1, Stagger: delay}, branches)
	s.Node().Tell(func() []plan.Parameter { return []plan.Parameter{plan.Set("delay", delay)} })
	if delay <= 0 {
		s.Node().Reject("Hedge: the delay must be positive, got " + delay.String())
	}
	return Plan[In, Out]{s}
}

// HedgeSlow is [Hedge] with a delay that is learned: a branch begins when the one before it takes longer than calls
// usually do, see [Latency]. The time of a step that succeeds is measured, from the beginning of the first branch until
// the other branches have been left. A step that fails or is left isn't measured. With [Try] around a branch, an error in
// it is a success of the branch, and is measured as one.
//
// Plan.Err reports a latency that isn't well formed. A durable plan can't have this step, because the delay depends on
// other runs: use Hedge.
//
//spec:ftn12 §1.4, §2.2.1 parallel
func HedgeSlow[In, Out any](latency *Latency, branches ...step.Step[In, Out]) Plan[In, Out] {
	s := op.Hedge[In]((*pace)(latency), nodesOf("HedgeSlow", branches), winner[Out])
	n := s.Node()
	n.Confined = "the delay is learned from other runs of the process"
	if err := latency.Err(); err != nil {
		n.Reject("HedgeSlow: " + fault.InfoOf(err))
	}
	if len(branches) == 0 {
		n.Reject("HedgeSlow: there is no branch")
	}
	return Plan[In, Out]{s}
}
