// Package combinatortest lists combinators, for tests of rules that each combinator must keep.
package combinatortest

import (
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Stage is the type of the stages that combinators take and make here.
type Stage = step.Step[int, int]

// Combinator is a way to make a stage of others.
type Combinator struct {
	Name   string  // is in the error of a plan with a nil stage, except for Of
	Stages int     // how many stages it takes at least
	Many   bool    // it takes more stages as well
	Other  bool    // a run may execute other steps than the description shows: it races, has a handler, begins other runs, …
	Allocs float64 // the most allocations of a run whose stages make none
	Make   func(stages ...Stage) Stage
}

// Named returns the combinator with the given name, in upper or lower case. It panics if there is none.
func Named(name string) Combinator {
	for _, c := range All {
		if strings.EqualFold(c.Name, name) {
			return c
		}
	}
	panic("no combinator is called " + name)
}

// All lists most combinators of package flow, and some of other packages.
var All = []Combinator{
	{Name: "Of", Stages: 1, Make: func(s ...Stage) Stage { return flow.Of(s[0]) }},
	{Name: "Then", Stages: 2, Make: func(s ...Stage) Stage { return flow.Then(s[0], s[1]) }},
	{Name: "Chain", Stages: 1, Many: true, Make: func(s ...Stage) Stage { return flow.Chain(s...) }},
	{Name: "Named x", Stages: 1, Make: func(s ...Stage) Stage { return flow.Named("x", s[0]) }},
	{Name: "Call", Stages: 1, Make: func(s ...Stage) Stage { return flow.Call(s[0]) }},
	{Name: "CopyFrom", Stages: 1, Make: func(s ...Stage) Stage { return flow.CopyFrom(flow.Model[int, int]{Steps: s[0]}) }},
	{Name: "Carry", Stages: 1, Make: func(s ...Stage) Stage { return flow.Then(flow.Carry(s[0]), second) }},
	{Name: "Tap", Stages: 1, Make: func(s ...Stage) Stage { return flow.Tap(s[0]) }},

	{Name: "Par", Stages: 1, Many: true, Allocs: 1, Make: func(s ...Stage) Stage { return flow.Then(flow.Par(s...), last) }},
	{Name: "Par2", Stages: 2, Make: func(s ...Stage) Stage { return flow.Then(flow.Par2(s[0], s[1]), second) }},
	{Name: "Par3", Stages: 3, Make: func(s ...Stage) Stage { return flow.Then(flow.Par3(s[0], s[1], s[2]), third) }},
	{Name: "To", Stages: 1, Many: true, Make: func(s ...Stage) Stage {
		branches := make([]flow.Branch[int, int], len(s))
		for i := range s {
			branches[i] = flow.To(s[i], func(to *int, n int) { *to = n })
		}
		return flow.ParInto(branches...)
	}},
	{Name: "ParEach", Stages: 1, Allocs: 2, Make: func(s ...Stage) Stage { return flow.Then(list, flow.Then(flow.ParEach(2, s[0]), last)) }},
	{Name: "Tasks", Stages: 1, Allocs: 4, Make: func(s ...Stage) Stage {
		return flow.Then(list, flow.Then(flow.NewTasks[int, int]("t").All(2, s[0]), last))
	}},
	{Name: "Node", Stages: 1, Make: func(s ...Stage) Stage {
		return flow.Graph(func(in flow.Ref[int]) flow.Ref[int] { return flow.Node(in, s[0]) })
	}},
	{Name: "First", Stages: 1, Many: true, Other: true, Make: func(s ...Stage) Stage { return flow.First(s...) }},
	{Name: "Race", Stages: 1, Many: true, Other: true, Make: func(s ...Stage) Stage { return flow.Race(s...) }},
	{Name: "Some", Stages: 1, Many: true, Other: true, Allocs: 1, Make: func(s ...Stage) Stage { return flow.Then(flow.Some(1, s...), last) }},
	{Name: "Hedge", Stages: 1, Many: true, Other: true, Make: func(s ...Stage) Stage { return flow.Hedge(time.Second, s...) }},
	{Name: "HedgeSlow", Stages: 1, Many: true, Other: true, Make: func(s ...Stage) Stage {
		return flow.HedgeSlow(flow.NewLatency(0.5, time.Second), s...)
	}},

	{Name: "Catch", Stages: 1, Other: true, Make: func(s ...Stage) Stage { return flow.Catch(s[0], lets) }},
	{Name: "CatchInput", Stages: 1, Other: true, Make: func(s ...Stage) Stage {
		return flow.CatchInput(s[0], func(as step.Scope, _ int, err error) step.Next[int] { return lets(as, err) })
	}},
	{Name: "OrElse", Stages: 1, Other: true, Make: func(s ...Stage) Stage { return flow.OrElse(s[0], 1) }},
	{Name: "Try", Stages: 1, Make: func(s ...Stage) Stage {
		return flow.Then(flow.Try(s[0]), step.Map(func(r flow.Result[int]) int { return r.Value }))
	}},
	{Name: "retry.Of", Stages: 1, Make: func(s ...Stage) Stage { return retry.Of(retry.Policy{}, s[0]) }},
	{Name: "OnCancel", Stages: 1, Other: true, Make: func(s ...Stage) Stage { return flow.OnCancel(s[0], func(step.Scope) {}) }},
	{Name: "Timeout", Stages: 1, Make: func(s ...Stage) Stage { return flow.Timeout(time.Hour, s[0]) }},
	{Name: "Grace", Stages: 1, Make: func(s ...Stage) Stage { return flow.Grace(time.Hour, s[0]) }},
	{Name: "Shield", Stages: 1, Make: func(s ...Stage) Stage { return flow.Shield(s[0]) }},
	{Name: "Linger", Stages: 1, Allocs: 6, Make: func(s ...Stage) Stage { return flow.Linger(time.Hour, s[0]) }},
	{Name: "Saga", Stages: 1, Make: func(s ...Stage) Stage { return flow.Saga(s[0]) }},
	{Name: "Undo", Stages: 2, Other: true, Allocs: 1, Make: func(s ...Stage) Stage { return flow.Saga(flow.Undo(s[0], s[1])) }},
	{Name: "Bracket", Stages: 2, Make: func(s ...Stage) Stage {
		return flow.Bracket(s[0], s[1], step.Map(func(e flow.Ended[int, int]) int { return e.Resource }))
	}},

	{Name: "Sync", Stages: 1, Make: func(s ...Stage) Stage { return syncx.Sync(syncx.NewMutex(1, -1), s[0]) }},
	{Name: "Memo", Stages: 1, Other: true, Allocs: 4, Make: func(s ...Stage) Stage { return share.NewMemo(share.MemoPolicy{}, s[0]).Get() }},
	{Name: "through", Stages: 1, Other: true, Allocs: 33, Make: func(s ...Stage) Stage {
		return flow.Then(list, flow.Then(stream.Collect(stream.Through(stream.Slice[int](), stream.Bound{Limit: 1}, s[0])), last))
	}},
}

var (
	list   = step.Map(func(n int) []int { return []int{n} })
	last   = step.Map(func(all []int) int { return all[len(all)-1] })
	second = step.Map(func(p flow.Pair[int, int]) int { return p.B })
	third  = step.Map(func(t flow.Triple[int, int, int]) int { return t.C })
)

func lets(step.Scope, error) step.Next[int] { return step.Unwind[int]() }
