package op

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/clock"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Pace decides when the branches of a hedge begin, and learns how long hedges take. It is safe for concurrent use.
type Pace interface {
	// Delay returns the delay between the beginnings of branches in the next run. It is positive.
	Delay() time.Duration
	// Took is called when a hedge has succeeded. d is the time since its first branch began, including the time that it
	// took to leave the other branches.
	Took(d time.Duration)
}

type paced[In, Out any] struct {
	*fork[In, Out]
	pace  Pace
	begun plan.Cell[begun]
}

type begun struct{ clock.Reading }

// Clear implements plan.Stater.
func (b *begun) Clear() { *b = begun{} }

// Hedge is Race for the first success. pace decides when the branches begin.
func Hedge[In, Out any](pace Pace, nodes []*plan.Node, join func(Results) Out) *plan.Stage[In, Out] {
	terms := Terms{Wins: 1, Losses: len(nodes) - 1}
	return race("hedge", terms, nodes, join, func(e *plan.Emitter, o *fork[In, Out]) frame.Op {
		return &paced[In, Out]{o, pace, plan.State[begun](e)}
	})
}

func (o *paced[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	*o.begun.At(f) = begun{clock.Read(f.Run().Clock())}
	return o.exec(f, o.pace.Delay())
}

func (o *paced[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	o.pace.Took(clock.Read(f.Run().Clock()).Since(o.begun.At(f).Reading)) // not the clock of Exec, if the run got its loop after that
	return o.fork.Resume(f)
}
