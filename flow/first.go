package flow

import (
	"strconv"
	"strings"

	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// First runs branches side by side, each on the same input, and gives the result of the first one to succeed. The
// other branches are cancelled, in the order of the branches, and left entirely before the step ends: their cancel
// hooks and cleanups run, and the goroutine of a step.Await is waited for, up to its grace. With [Linger] around the
// branches the step doesn't wait for that. A branch that hasn't started when another one succeeds never starts. Plan.Err
// reports a First without branches.
//
// Errors: a branch that fails, after its own handlers were asked, is out, and the others go on. If all branches fail,
// the step fails with the error that came last. The earlier errors are in its Secondary, oldest first, where errors.Is
// and errors.As find them. If a branch succeeds, the errors of the others are dropped, but panics in them, and what went
// wrong while branches were cancelled, are reported to the loop. Of more than 32 errors that the step has survived, the
// first and the latest 31 are kept. The same number of panics is reported, with a count of the others.
//
// Types: the branches have the same type of result. If the results of yours differ, end each branch with a step that
// converts its result, or with [Value] if only the success matters.
//
// Cancellation: a cancel, or a limit around the step, cancels all branches, also
// while the step waits for those that have lost. The errors of branches that have
// failed by then are in Secondary.
//
// Concurrency: as with [Par], branches interleave on the run's loop and share its
// state, and each is a flow of its own to guards. Break and continue out
// of a branch end the others.
//
//spec:ftn12 §1.4, §2.2.1 parallel; rules P6, P1, P4, P5
func First[In, Out any](branches ...step.Step[In, Out]) Plan[In, Out] {
	terms := op.Terms{Wins: 1, Losses: len(branches) - 1}
	return Plan[In, Out]{one("First", terms, branches)}
}

// Race is [First] for the first branch to end: if that branch fails, the step
// fails with its error, as with [Par]. Errors that were on their way in other
// branches at that moment are in Secondary of that error.
//
//spec:ftn12 §1.4, §2.2.1 parallel; rules P3, P6
func Race[In, Out any](branches ...step.Step[In, Out]) Plan[In, Out] {
	return Plan[In, Out]{one("Race", op.Terms{Wins: 1}, branches)}
}

// Some is [First] for the first k branches to succeed. It gives their results in
// the order in which they have succeeded. As soon as so many branches have failed
// that k can't succeed any more, Some fails with the error that came last, which
// has the earlier ones in Secondary. The other branches are cancelled then.
// Plan.Err reports a k below one or above the number of branches.
//
//spec:ftn12 §1.4, §2.2.1 parallel; rule P6
func Some[In, Out any](k int, branches ...step.Step[In, Out]) Plan[In, []Out] {
	terms := op.Terms{Wins: max(k, 1), Losses: max(len(branches)-k, 0)}
	s := op.Race[In]("some", terms, nodesOf("Some", branches), func(r op.Results) []Out {
		out := make([]Out, k)
		for i := range out {
			out[i] = op.ResultOf[Out](r, r.Won(i))
		}
		return out
	})
	s.Node().Tell(func() []plan.Parameter { return []plan.Parameter{plan.Set("wins", k)} })
	if k < 1 || k > len(branches) {
		s.Node().Reject("Some: " + strconv.Itoa(k) + " of " + strconv.Itoa(len(branches)) + " branches can't succeed")
	}
	return Plan[In, []Out]{s}
}

// one returns the stage of a race that gives the result of the first branch to succeed.
func one[In, Out any](name string, terms op.Terms, branches []step.Step[In, Out]) *plan.Stage[In, Out] {
	s := op.Race[In](strings.ToLower(name), terms, nodesOf(name, branches), winner[Out])
	if len(branches) == 0 {
		s.Node().Reject(name + ": there is no branch")
	}
	return s
}

func nodesOf[In, Out any](name string, branches []step.Step[In, Out]) []*plan.Node {
	nodes := make([]*plan.Node, len(branches))
	for i, b := range branches {
		nodes[i] = op.Given(b, name+": a branch is nil").Node()
	}
	return nodes
}

func winner[Out any](r op.Results) Out { return op.ResultOf[Out](r, r.Won(0)) }
