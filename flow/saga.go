package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Saga runs s. If s doesn't succeed, everything that steps of [Undo] in it have done
// is undone, newest first, one after the other: on an error, a timeout, a cancel, a
// break, and when a sibling fails or wins the race. Then the error goes on, or the
// cancel. If s succeeds nothing is undone; if there is another Saga around, that
// one takes over what may have to be undone: it is all or nothing.
//
// Put a Saga around what an error handler, a retry or a branch of a race may leave:
// an error that is recovered inside a Saga undoes nothing.
//
// Errors: an error of an undo is in Secondary of what was on its way, and the others
// are undone all the same.
//
// Cancellation: what cancels a Saga waits for each undo, for the grace of the
// loop, as for the release of a [Bracket].
//
// Spec: FTN12 §1.2, §1.3; rules K5, K4.
func Saga[In, Out any](s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Saga(op.Given(s, "Saga: the stage is nil"))}
}

// Undo runs do, and has the nearest [Saga] around it run undo, on what do gave, if
// that Saga doesn't succeed. Each do that has succeeded is undone once, also if it is
// cancelled at that very moment; one that has failed never is. The result is that of do. Undo
// is a step as any other: it may wait, take sub-steps, try again.
//
// Without a Saga around the step fails with InternalError, before do begins.
//
// Cancellation: do is the acquire of a [Bracket]: what cancels it waits for it, for the grace
// of the loop, and ends its context at once.
//
// Spec: FTN12 §1.2, §1.3; rule K5.
func Undo[In, V, Z any](do step.Step[In, V], undo step.Step[V, Z]) Plan[In, V] {
	return Plan[In, V]{op.Undo(op.Given(do, "Undo: do is nil"), op.Given(undo, "Undo: undo is nil"))}
}
