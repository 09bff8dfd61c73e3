package flow

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Hedge is [First] for branches that begin one after the other: each as soon as
// the one before it has been running for delay, or a branch has failed. So
// the next one costs nothing as long as the first is quick. They may be the same
// step, several times:
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
