package op

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Pace decides when the branches of a hedge begin, and learns from it. It is safe for concurrent use.
type Pace interface {
	// Delay returns how long a branch of the next run has before the next one begins. It is positive.
	Delay() time.Duration
	// Took is told how long a hedge that has succeeded took, from the beginning of its first branch. That includes the
	// leaving of the other branches.
	Took(d time.Duration)
}

// paced is a race whose branches begin by a Pace.
type paced[In, Out any] struct {
	*fork[In, Out]
	pace  Pace
	begun plan.Cell[begun]
}

// begun is when the first branch has begun, by the clock of the run.
type begun time.Duration

// Clear implements plan.Stater. There is nothing to drop.
func (*begun) Clear() {}

// Hedge is Race for the first success, of branches that begin by pace.
func Hedge[In, Out any](pace Pace, nodes []*plan.Node, join func(Results) Out) *plan.Stage[In, Out] {
	terms := Terms{Wins: 1, Losses: len(nodes) - 1}
	return race("hedge", terms, nodes, join, func(e *plan.Emitter, o *fork[In, Out]) frame.Op {
		return &paced[In, Out]{o, pace, plan.State[begun](e)}
	})
}

func (o *paced[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	*o.begun.At(f) = begun(f.Run().Clock().Now())
	return o.exec(f, o.pace.Delay())
}

func (o *paced[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	o.pace.Took(f.Run().Clock().Now() - time.Duration(*o.begun.At(f)))
	return o.fork.Resume(f)
}
