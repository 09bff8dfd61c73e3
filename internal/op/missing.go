package op

import "github.com/futoin-go/asyncsteps/internal/plan"

// Given is the stage of s, which somebody has given: if it is nil, a stage that
// can't be run, for the reason missing.
func Given[In, Out any](s interface{ Stage() *plan.Stage[In, Out] }, missing string) *plan.Stage[In, Out] {
	if s != nil {
		if st := s.Stage(); st != nil {
			return st
		}
	}
	return Missing[In, Out](missing)
}

// Missing stands for a stage that was not given; it can't be run.
func Missing[In, Out any](what string) *plan.Stage[In, Out] {
	var n *plan.Node
	n = plan.NewNode[In, Out]("nil", func(e *plan.Emitter) { e.Op(n, &value[Out]{out: plan.Output[Out](e)}) })
	n.Reject(what)
	return plan.NewStage[In, Out](n)
}
