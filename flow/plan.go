package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Plan is a composed stage: steps in sequence, in parallel, with handlers, limits and hooks.
// It is a [step.Step] and composes further.
//
// A plan is an immutable value. Build it once, keep it in a package variable, run it from any number of goroutines:
// each run takes its own memory from a pool. The zero Plan can't be run.
//
//spec:ftn12 §1.5
type Plan[In, Out any] struct{ s *plan.Stage[In, Out] }

// Stage isn't for programs. Other packages of this library use it; its type is internal.
func (p Plan[In, Out]) Stage() *plan.Stage[In, Out] { return p.s }

// Err reports what is wrong with the plan, such as nil bodies and bounds out of range. Each problem has a line, with the
// place in the source where the stage was built. Err returns nil for a plan that can be run. Run and Start report
// these problems before anything runs.
func (p Plan[In, Out]) Err() error { return op.Given(p, "the plan is the zero Plan").Err() }

// Of makes a plan of a single step.
func Of[In, Out any](s step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{op.Given(s, "the step is nil")}
}

// given is op.Given with a shortcut for what the constructors of steps and plans return.
func given[In, Out any](s step.Step[In, Out], missing string) *plan.Stage[In, Out] {
	if st, is := s.(*plan.Stage[In, Out]); is {
		return st
	}
	if p, is := s.(Plan[In, Out]); is && p.s != nil {
		return p.s
	}
	return op.Given(s, missing)
}
