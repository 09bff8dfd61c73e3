package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Saga runs s. If s doesn't succeed, everything that steps of [Undo] in it have done is undone, newest first, one after
// the other. This happens for example on an error, a timeout, a cancel, a break, and when a sibling fails or wins the
// race. Then the error, cancel or break goes on. If s succeeds nothing is undone; a Saga around this one can still undo
// the steps.
//
// An error that is recovered inside a Saga undoes nothing. If an error handler, a retry or a
// race needs the steps undone, put it around the Saga: Catch(Saga(s), handler).
//
// Errors: an error of an undo is in Secondary of the error or cancel that leaves the Saga; after a break or continue,
// and when a race was won, it is reported to the loop's error handler. The remaining undos run all the same.
//
// Cancellation: a cancel of the Saga waits for each undo, up to the grace, as for the release of a [Bracket]. Sagas in
// branches that are left together are undone side by side. Outside of a [Shield], a cancel that was accepted before the
// outermost Saga has succeeded undoes it, also one that comes while its last step executes. What that Saga has done
// when it succeeds stays done: if no step follows, the run has succeeded with it, and a later cancel is refused;
// otherwise a cancel ends the steps that follow. A part of a plan that runs [On] another loop gets a cancel of the run
// around it a little later, and what a Saga in that part has done when it succeeds stays done. In a [Shield] in a
// [Linger] that was left, a Saga may fail at its end, because the Saga around the Linger can't undo it any more.
//
//spec:ftn12 §1.2, §1.3; rules K5, K4
func Saga[In, Out any](s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Saga(op.Given(s, "Saga: the stage is nil"))}
}

// Undo runs do. If the nearest [Saga] around it doesn't succeed, that Saga runs undo with the result of do: once for
// each do that has succeeded, even if the do was cancelled at that very moment. A do that has failed is not undone. The
// result of the step is that of do. The stage undo may wait, have sub-steps, and try again.
//
// Without a Saga around it the step fails with InternalError, before do begins. Plan.Err reports that only inside of
// [On], which hides any Saga outside: elsewhere the plan may become a part of another plan, which has a Saga. In a
// [Shield] in a [Linger] that was left, the step fails if its Saga is around the Linger, because that Saga can't undo it
// later.
//
// Cancellation: do is like the acquire of a [Bracket]: a cancel waits for it, up to the grace,
// and its context ends at once.
//
//spec:ftn12 §1.2, §1.3; rule K5
func Undo[In, V, Z any](do step.Step[In, V], undo step.Step[V, Z]) Plan[In, V] {
	return Plan[In, V]{op.Undo(op.Given(do, "Undo: do is nil"), op.Given(undo, "Undo: undo is nil"))}
}
