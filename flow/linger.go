package flow

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Linger runs s as a step that can be left without waiting for it. When the step is left, for example because a race
// beside it is decided, a limit passes, a sibling fails or the run is cancelled, s is cancelled, and the steps around
// it go on at once, while s unwinds in the background. No step of s begins after that, except those that unwind it,
// such as the release of a [Bracket], and those in a [Shield], an acquire or the do of an [Undo]. Put it around the
// branches of a race whose losers may take their time:
//
//	flow.First(flow.Linger(time.Second, here), flow.Linger(time.Second, there))
//
// The run ends when all that lingers in it has ended, or when grace is over, which counts from the moment the step was
// left, by the loop's clock. A caller that waits for the run, in [Run] or [Running.Wait], waits for that too: to use
// the result earlier, hand it over in a later step. Meanwhile the result of the run is decided, and a cancel comes too
// late. What still lingers after grace is left behind: the run ends without it, while it goes on unwinding on the loop.
// A Shutdown waits for it as for a run. With [Run] a goroutine takes over the private loop for that.
//
// As long as the step isn't left, it does what s does: its steps run in the same order, and its result, its errors
// with their paths, its state and its context are those of s. To guards it is a flow of its own, as a branch is. A
// break or continue doesn't leave it. [Undo] and [Tasks] find the [Saga] and the group around it. If the Saga of an Undo
// in s is around the step, and the Undo succeeds only after the step was left, the Undo undoes its effect itself, at
// once, because that Saga can't undo it later. A [Shield] in s goes on, but such an Undo in it then fails with the code
// Cancelled. So does a Saga in it that has done something, if the next Saga outwards is around the step.
//
// Errors: those of s. Plan.Err reports a grace that isn't positive, and a nil s. While s lingers no step is left that
// could report its errors. Panics, errors of releases and cleanups, and the fact that s or a goroutine
// of it was left behind are reported to the loop, see tool.Options.OnError; an ordinary error of s is dropped.
//
// Cancellation: leaves the step at once; the run ends as described above.
//
//spec:ftn12 §1.3, §1.4, §2.2.1 parallel; rule P10
func Linger[In, Out any](grace time.Duration, s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Linger(grace, op.Given(s, "Linger: the stage is nil"))}
}
