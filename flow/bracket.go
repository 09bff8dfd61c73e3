package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Ended is what the release of a [Bracket] is given: what was acquired, and how its
// use has ended.
type Ended[R, Out any] struct {
	Resource R     // what acquire gave
	Value    Out   // the result of use; only if Err is nil
	Err      error // nil if use has succeeded
	// Cancelled says that use was left from outside: by a cancel, a limit around, a
	// sibling that failed or won; or by a break or continue. Err is the reason then:
	// fault.Timeout, the cause of the cancel, the sibling's error.
	Cancelled bool
}

// Bracket runs acquire, then use on what that gives, then release, whichever way
// use ends: with a value, an error, a panic, a timeout, a cancel, a break. Release
// is a step as any other: it may wait and take sub-steps. It runs exactly once for
// each acquire that has succeeded, also if that is cancelled at the very moment, and
// has ended before handlers outside are asked. The result is that of use.
//
// Errors: an error of acquire or of use is the error of the step. An error of
// release is too, if use has succeeded; otherwise it is in Secondary of what was on
// its way, as it is on a cancel.
//
// Cancellation: use is cancelled as any step. What cancels a Bracket waits for its
// acquire and its release to end by themselves, for the grace of the loop
// (tool.Options.Grace, counted for each of the two from when it is to be left); then they are cancelled, too,
// which is reported to the loop, as it may leave something unreleased. The context of acquire
// ends at once, with the cause: it may give up. What it gives nevertheless is
// released. The context of release has the values of the run's context, and neither
// its deadline nor its end.
//
// Spec: FTN12 §1.3, §1.14; rules K2, K3, K4.
func Bracket[In, R, Out, Z any](
	acquire step.Step[In, R], use step.Step[R, Out], release step.Step[Ended[R, Out], Z],
) Plan[In, Out] {
	return Plan[In, Out]{op.Bracket(
		op.Given(acquire, "Bracket: acquire is nil"),
		op.Given(use, "Bracket: use is nil"),
		op.Given(release, "Bracket: release is nil"),
		func(r R, v Out, how op.Leaving) Ended[R, Out] { return Ended[R, Out]{r, v, how.Err, how.Cancelled} },
	)}
}

// Shield runs s to its end: a cancel, a limit around, a sibling that fails or wins
// the race wait for s, and act right after it. Steps of s go on as if nothing had
// happened: their context has the values of the one outside, and neither its deadline
// nor its end. Its result is dropped then, and its error is in Secondary of the
// reason.
//
// They wait for the grace of the loop at the most (tool.Options.Grace); then s is
// cancelled as any step, which is reported to the loop. Limits inside of s act
// as ever. To guards, steps of s are the flow that the Shield is a step of.
//
// Spec: FTN12 §1.3; rules K1, K4.
func Shield[In, Out any](s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Shield(op.Given(s, "Shield: the stage is nil"))}
}
