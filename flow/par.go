package flow

import (
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Par runs branches side by side, each with the same input, and returns their results in the
// order of the branches. Branches interleave on the run's loop: while one waits, others go on.
// For blocking or CPU-heavy work in parallel use steps of step.Await as branches. Without branches
// the result is empty.
//
// Errors: the first branch to fail, after its own handlers were asked, fails the step: the
// other branches are cancelled, in order, and branches that haven't started never do. Errors
// that occur during the cancelling are kept in Secondary of the first.
//
// Concurrency: branches share the run's state. They need no locks for it, because bodies on the loop don't run at the
// same time. Guards see each branch as a flow of its own.
//
//spec:ftn12 §1, §1.4, §2.2.1 parallel; rules P3, P4
func Par[In, Out any](branches ...step.Step[In, Out]) Plan[In, []Out] {
	return Plan[In, []Out]{op.Fork[In]("par", nodesOf("Par", branches), func(r op.Results) []Out {
		out := make([]Out, r.Len())
		for i := range out {
			out[i] = op.ResultOf[Out](r, i)
		}
		return out
	})}
}

// Pair holds two values, for example the results of [Par2], the values of [Join2], or the input and the result of
// [Carry].
type Pair[A, B any] struct {
	A A // the result of the first branch, the first value, or the input
	B B // the result of the second branch, the second value, or the result
}

// Par2 is [Par] for two branches with results of different types.
//
//spec:ftn12 §1.4, §2.2.1 parallel
func Par2[In, A, B any](a step.Step[In, A], b step.Step[In, B]) Plan[In, Pair[A, B]] {
	nodes := []*plan.Node{
		op.Given(a, "Par2: branch 0 is nil").Node(),
		op.Given(b, "Par2: branch 1 is nil").Node(),
	}
	return Plan[In, Pair[A, B]]{op.Fork[In]("par", nodes, func(r op.Results) Pair[A, B] {
		return Pair[A, B]{op.ResultOf[A](r, 0), op.ResultOf[B](r, 1)}
	})}
}

// Triple holds three values: the results of [Par3], or the values of [Join3].
type Triple[A, B, C any] struct {
	A A // the result of the first branch, or the first value
	B B // the result of the second branch, or the second value
	C C // the result of the third branch, or the third value
}

// Par3 is [Par] for three branches with results of different types. For more,
// nest: a branch may be a Par itself.
//
//spec:ftn12 §1.4, §2.2.1 parallel
func Par3[In, A, B, C any](a step.Step[In, A], b step.Step[In, B], c step.Step[In, C]) Plan[In, Triple[A, B, C]] {
	nodes := []*plan.Node{
		op.Given(a, "Par3: branch 0 is nil").Node(),
		op.Given(b, "Par3: branch 1 is nil").Node(),
		op.Given(c, "Par3: branch 2 is nil").Node(),
	}
	return Plan[In, Triple[A, B, C]]{op.Fork[In]("par", nodes, func(r op.Results) Triple[A, B, C] {
		return Triple[A, B, C]{op.ResultOf[A](r, 0), op.ResultOf[B](r, 1), op.ResultOf[C](r, 2)}
	})}
}
