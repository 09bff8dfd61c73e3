package flow

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Linger runs s as a step that can be left before s has ended. When the step is left, for example because a race
// around it is decided, a limit passes, a sibling fails or the run is cancelled, s is cancelled, and the steps around
// the Linger go on at once, while s unwinds in the background. No step of s begins after that, except those that unwind
// s, such as the release of a [Bracket], and those in a [Shield], an acquire or the do of an [Undo]. Put a Linger around
// the branches of a race whose losers may take their time:
//
//	flow.First(flow.Linger(time.Second, here), flow.Linger(time.Second, there))
//
// The run ends when all that lingers in it has ended, or when grace has passed since the step was left, by the loop's
// clock. [Run] and [Running.Wait] wait for that end: to use the result earlier, pass it on in a later step. While the run
// waits for s, its result is decided, and a cancel comes too late. If s still lingers after grace, s is left behind: the
// run ends, while s goes on unwinding on the loop. A Shutdown of the loop waits for s as for a run. With [Run], another
// goroutine goes on driving the private loop until s has ended.
//
// As long as the step isn't left, it does what s does: its steps run in the same order, and its result, its errors
// with their paths, its state and its context are those of s. To guards s is a flow of its own, as a branch is. A
// break or continue doesn't leave the Linger. [Undo] and [Tasks] in s find the [Saga] and the group around the step. If
// the Saga of an Undo in s is around the step, and the Undo succeeds only after the step was left, the Undo undoes its
// effect itself, at once, because that Saga can't undo it later. In a [Shield] in s, where steps go on, such an Undo then
// fails with the code Cancelled. In the same Shield, a Saga that has done something fails in the same way, if the next
// Saga outwards is around the step.
//
// Errors: those of s. Plan.Err reports a grace that isn't positive, and a nil s. Once the step was left, it can't return
// errors of s. Panics, errors of releases and cleanups, and the fact that s or a goroutine of s was left behind are
// reported to the loop then, see tool.Options.OnError; an ordinary error of s is dropped.
//
// Cancellation: leaves the step at once; the run ends as described above.
//
//spec:ftn12 §1.3, §1.4, §2.2.1 parallel; rule P10
func Linger[In, Out any](grace time.Duration, s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Linger(grace, op.Given(s, "Linger: the stage is nil"))}
}
