package loopx

import (
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/step"
)

// Label names a loop that carries a T, for [BreakTo] and [ContinueTo]. Make it with [NewLabel] and keep it in a package
// variable. Labels are told apart by identity; the name is for people, and for steps of packages binval/wasm and
// binval/cabi, which know labels by name. A Label is safe for concurrent use. The zero Label names no loop.
//
//spec:ftn12 §1.8
type Label[T any] struct{ l *op.Label }

// NewLabel makes a label. Two labels with the same name are different labels.
func NewLabel[T any](name string) Label[T] { return Label[T]{&op.Label{Name: name}} }

// Labelled gives the loop s the label. If loops with the same label are nested, the label
// means the innermost one. A stage that isn't a loop, a loop that was given a name
// by flow.Named, and the zero Label are reported by flow.Plan.Err.
//
//spec:ftn12 §1.8
func Labelled[In, T any](label Label[T], s step.Step[In, T]) flow.Plan[In, T] {
	return flow.Of(op.Labelled(label.l, op.Given(s, "Labelled: the loop is nil")))
}

// Break ends the nearest loop with the value that the current iteration began with. Out is the
// result type of the step that returns the Break. It can't be inferred, so write it:
// loopx.Break[int](). To end the loop with another value, label it and use BreakTo; in a
// while-like loop, test first and Break, otherwise succeed with the next value.
//
//spec:ftn12 §1.8, §2.2.4 break
func Break[Out any]() step.Next[Out] { return step.Fail[Out](op.Break) }

// Continue ends the current iteration of the nearest loop; the next one begins with
// the same value as this one did.
//
//spec:ftn12 §1.8, §2.2.4 continue
func Continue[Out any]() step.Next[Out] { return step.Fail[Out](op.Continue) }

// BreakTo ends the nearest loop with the given label, and the loops inside of it. The result of the labelled loop is v.
// BreakTo allocates.
//
//spec:ftn12 §2.2.4 break
func BreakTo[Out, T any](label Label[T], v T) step.Next[Out] {
	return step.Fail[Out](op.JumpTo(label.l, false, v))
}

// ContinueTo ends the current iteration of the nearest loop with the given label, and the loops inside of it. The next
// iteration of the labelled loop carries v. ContinueTo allocates.
//
//spec:ftn12 §2.2.4 continue
func ContinueTo[Out, T any](label Label[T], v T) step.Next[Out] {
	return step.Fail[Out](op.JumpTo(label.l, true, v))
}
