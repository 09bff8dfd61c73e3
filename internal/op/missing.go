package op

import (
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
)

// Given returns the stage of s, which a user has passed in. If s has none, Given returns a stage that can't be run, for the
// reason missing.
func Given[In, Out any](s interface{ Stage() *plan.Stage[In, Out] }, missing string) *plan.Stage[In, Out] {
	if st := plan.StageOf(s); st != nil {
		return st
	}
	return Missing[In, Out](missing)
}

// Missing returns a stage that can't be run, for the given reason.
func Missing[In, Out any](reason string) *plan.Stage[In, Out] {
	n := plan.NewNode[In, Out]("nil", emitMissing[Out])
	n.Reject(reason)
	return plan.NewStage[In, Out](n)
}

// emitMissing emits a step for the description of a stage that can't be run.
func emitMissing[Out any](e *plan.Emitter, n *plan.Node) {
	plan.Output[Out](e)
	e.Op(n, missing{})
}

// missing stands in a description for the step of a stage that can't be run.
type missing struct{ frame.Leaf }

// Exec is never called.
func (missing) Exec(*frame.Frame) frame.Verdict { return frame.Done }
