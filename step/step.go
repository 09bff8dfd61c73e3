package step

import "github.com/futoin-go/asyncsteps/internal/plan"

// Step is one stage of a plan: it takes an In and gives an Out, or fails.
//
// The functions of this package make steps of Go functions; package flow
// composes them. Stages are immutable values: share them between goroutines,
// use one in many plans, run it many times at once.
//
// The interface is sealed: Stage returns an internal type. A type of your own
// can still be a Step by embedding one.
type Step[In, Out any] interface {
	// Stage isn't for programs: other packages of this library use it, and its type is internal.
	Stage() *plan.Stage[In, Out]
}
