package flow

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Grace sets how long steps in s may take to end by themselves when they are to be left, for example by a cancel, a
// limit, or a sibling that has failed or won the race. Such steps are a [Shield], the acquire and the release of a
// [Bracket], the do of an [Undo] and each undo of a [Saga], and the goroutine of a step.Await. Below zero there is no
// limit: then a step that never ends holds the run, and the shutdown of its loop, for ever.
//
// A step has the grace of step.AwaitGrace, or else of the nearest Grace, or else of the loop
// (tool.Options.Grace). The time is that of the loop's clock. A grace of zero is reported by
// Plan.Err. What takes longer is cancelled, with an error of the code fault.CutOff; the goroutine
// of a step.Await, which was cancelled at once, is left behind and reported. The grace doesn't limit a release
// or an undo that follows an ordinary error, a break or a continue, as long as nothing else wants to leave the
// step: only a limit inside of the release or undo counts then.
//
//spec:ftn12 §1.3; rules C8, K4
func Grace[In, Out any](d time.Duration, s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Grace(d, op.Given(s, "Grace: the stage is nil"))}
}
