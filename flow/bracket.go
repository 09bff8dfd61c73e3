package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Ended is the input of the release of a [Bracket]: the acquired resource, and how its use has
// ended.
type Ended[R, Out any] struct {
	Resource R     // the result of acquire
	Value    Out   // the result of use, if Err is nil
	Err      error // nil if use has succeeded
	// Cancelled reports that use was left by something other than an error of its own, such as a cancel, a limit around
	// it, a sibling that failed or won the race, a break or a continue. Err is the reason then, for example
	// fault.Timeout, the cause of the cancel, or the sibling's error.
	Cancelled bool
}

// Bracket runs acquire, then use with the result of acquire, and then release, however use ends: with a value, an error,
// a panic, a timeout, a cancel, a break. Release may be any stage: it may wait and have sub-steps. It runs once for
// each acquire that has succeeded, even if acquire was cancelled at that very moment. Handlers outside are asked after
// release has ended. The result is that of use.
//
// Use is given the resource. If it needs the input as well, acquire it with [Carry]:
//
//	flow.Bracket(flow.Carry(lock), use, release) // use gets flow.Pair[Key, Lease]
//
// Errors: an error of acquire or of use is the error of the step. An error of release is the error of the
// step if use has succeeded and nothing else leaves the step. Otherwise it is in Secondary of the error or cancel
// that leaves the step; after a break or continue, and when a race was won, it is reported to the loop's error
// handler.
//
// Cancellation: use is cancelled like any step. Acquire and release are not cancelled at once: whatever leaves the
// Bracket waits for each of them to end, but no longer than the grace, which is set by [Grace] or else by the loop.
// The grace counts from the moment when the Bracket is to be left, or from the beginning of release if that is later.
// After the grace they are cancelled too, with an error of the code fault.CutOff. The error is reported to the loop's
// error handler, because something may stay unreleased. After an error, a break or a continue of use, release may take
// any time, as long as nothing else wants to leave the Bracket. The context of acquire ends at once, with the cause, so
// acquire can give up early. If acquire succeeds nevertheless, its result is released. The context of release has the
// values of the context around the Bracket, but neither its deadline nor its end.
//
//spec:ftn12 §1.3, §1.14; rules K2, K3, K4
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

// Shield runs s to its end: whatever leaves the step, such as a cancel, a limit around it, or a sibling that fails or
// wins the race, waits for s to end and takes effect right after that. Meanwhile the steps of s go on: their context has
// the values of the context outside, but neither its deadline nor its end. If something has waited, the result of s is
// dropped, and an error of s is in Secondary of the error or cancel that waited. If a break or a won race waited, a panic
// of s is reported to the loop's error handler, and any other error is dropped.
//
// The wait is limited by the grace, which is set by [Grace] or else by the loop
// (tool.Options.Grace). After the grace s is cancelled like any step, and that is reported to the loop's
// error handler. Limits inside of s act as usual.
// Guards see the steps of s as the same flow as the steps around the Shield.
//
//spec:ftn12 §1.3; rules K1, K4
func Shield[In, Out any](s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Shield(op.Given(s, "Shield: the stage is nil"))}
}
