package durable

import (
	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/step"
)

// Loop returns a plan that executes turn again and again, each time with In of the previous result, until More of a result is
// false. With a Loop a workflow can live for years:
//
//	var watch = durable.New("watch", durable.Loop(turn))
//
// When the history of the run has become long, the loop ends after the current turn, with a result whose More is still true. So the
// loop must be the last step of its plan: then the run begins anew, as [Again] describes, and continues with the next turn. On
// Temporal a history is long when the server says so, on a file after 4096 events or four MiB of them, and on [Local], where
// nothing is stored, after 4096 calls and signals. In a run that isn't one of a [Workflow] the loop doesn't end for this reason.
//
// An error of a turn ends the loop. [Workflow.Err] reports a nil turn.
func Loop[S any](turn step.Step[S, Again[S]]) flow.Plan[S, Again[S]] {
	label := loopx.NewLabel[Again[S]]("durable.Loop")
	first := step.Map(func(in S) Again[S] { return Again[S]{In: in, More: true} })
	begin := step.Map(func(a Again[S]) S { return a.In })
	end := step.New(func(as step.Scope, a Again[S]) step.Next[Again[S]] {
		run := engine.RunIn(as)
		if !a.More || run != nil && run.Long() {
			return loopx.BreakTo[Again[S]](label, a)
		}
		return step.Succeed(a)
	})
	return flow.Then(first, loopx.Labelled(label, loopx.Loop(flow.Then(begin, flow.Then(turn, end)))))
}
