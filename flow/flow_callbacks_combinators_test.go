package flow_test

import (
	"context"
	"iter"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/share"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
)

var combinatorContacts = []contact{
	{name: "by of DelayBy", effect: thrown, plan: func(do func()) intStep {
		return step.DelayBy(func(step.Scope, int) time.Duration { do(); return time.Second })
	}},
	{name: "Do", effect: thrown, plan: func(do func()) intStep {
		return step.Do(func(context.Context, int) error { do(); return nil })
	}},
	{name: "CatchInput", effect: thrown, plan: func(do func()) intStep {
		return flow.CatchInput(step.Func(fail), func(step.Scope, int, error) intNext { do(); return step.Succeed(1) })
	}},
	{name: "Linger", effect: thrown, plan: func(do func()) intStep {
		return flow.Linger(time.Second, step.Map(func(in int) int { do(); return in }))
	}},
	{name: "release of a Bracket after success", effect: thrown, plan: func(do func()) intStep {
		return flow.Bracket(plantest.Add(1), plantest.Add(1), releasing(do))
	}},
	{name: "release of a Bracket after an error", effect: joined, plan: func(do func()) intStep {
		return flow.Bracket(plantest.Add(1), step.Func(fail), releasing(do))
	}},
	{name: "undo of a Saga", effect: joined, plan: func(do func()) intStep {
		undo := step.Map(func(in int) int { do(); return in })
		return flow.Saga(flow.Then(flow.Undo(plantest.Add(1), undo), step.Func(fail)))
	}},
	{name: "key of PerKey", effect: thrown, plan: func(do func()) intStep {
		return syncx.SyncKeyed(syncx.PerKey(func(in int) int { do(); return in }, mutexFor), plantest.Add(1))
	}},
	{name: "newGuard of PerKey", effect: thrown, plan: func(do func()) intStep {
		newGuard := func(key int) syncx.Guard { do(); return mutexFor(key) }
		return syncx.SyncKeyed(syncx.PerKey(func(in int) int { return in }, newGuard), plantest.Add(1))
	}},
	{name: "Learn of a guard after success", effect: thrown, plan: func(do func()) intStep {
		return syncx.Sync(&learningGuard{learn: do}, plantest.Add(1))
	}},
	{name: "Learn of a guard after an error", effect: joined, plan: func(do func()) intStep {
		return syncx.Sync(&learningGuard{learn: do}, step.Func(fail))
	}},
	{name: "Lease of a guard", effect: thrown, plan: func(do func()) intStep {
		return syncx.Sync(&leasingGuard{lease: do}, plantest.Add(1))
	}},
	{name: "Overload of an Adaptive", effect: same, exit: quiet, plan: func(do func()) intStep {
		return syncx.Sync(syncx.NewAdaptive(syncx.AdaptivePolicy{Overload: func(error) bool { do(); return true }}), step.Func(fail))
	}},
	{name: "choose of a retry", effect: thrown, plan: func(do func()) intStep {
		return retry.OfAttempt(retry.Policy{Tries: 1}, func(int) intStep { do(); return plantest.Add(1) })
	}},
	{name: "next of Schedule", effect: thrown, plan: func(do func()) intStep {
		return loopx.Schedule(func(after time.Time) time.Time { do(); return after.Add(time.Second) },
			step.New(func(step.Scope, int) intNext { return loopx.Break[int]() }))
	}},
	{name: "an iterator that is stopped", effect: thrown, plan: func(do func()) intStep {
		var seq iter.Seq[int] = func(yield func(int) bool) { yield(1); do() }
		each := loopx.EachSeq(step.New(func(step.Scope, loopx.Item[int, int, int]) intNext { return loopx.Break[int]() }))
		return step.New(func(as step.Scope, _ int) intNext { return step.Into(as, each, seq) })
	}},
	{name: "an iterator that is stopped after an error", effect: joined, plan: func(do func()) intStep {
		var seq iter.Seq[int] = func(yield func(int) bool) { yield(1); do() }
		each := loopx.EachSeq(step.Func(func(step.Scope, loopx.Item[int, int, int]) (int, error) { return 0, errFirst }))
		return step.New(func(as step.Scope, _ int) intNext { return step.Into(as, each, seq) })
	}},
	{name: "load of a Memo", effect: thrown, plan: func(do func()) intStep {
		return share.NewMemo(share.MemoPolicy{}, step.Map(func(in int) int { do(); return in })).Get()
	}},
	{name: "KeepErrors of a Memo", effect: same, plan: func(do func()) intStep {
		return share.NewMemo(share.MemoPolicy{Lifetime: time.Minute, KeepErrors: func(error) bool { do(); return true }},
			step.Func(fail)).Get()
	}},
	{name: "load of a Batch", effect: thrown, plan: func(do func()) intStep {
		return share.NewBatch(share.BatchPolicy{}, step.Map(func(keys []int) []share.Answer[int] {
			do()
			return make([]share.Answer[int], len(keys))
		})).Get()
	}},
	{name: "Map of a stream", effect: thrown, plan: func(do func()) intStep {
		count := stream.Count(stream.Map(stream.Slice[int](), func(v int) int { do(); return v }))
		return flow.Then(step.Map(func(in int) []int { return []int{in} }), count)
	}},
	{name: "Await of a stream", effect: thrown, plan: func(do func()) intStep {
		count := stream.Count(stream.Await(stream.Slice[int](), stream.Bound{Limit: 1},
			func(_ context.Context, v int) (int, error) { do(); return v, nil }))
		return flow.Then(step.Map(func(in int) []int { return []int{in} }), count)
	}},
}

func releasing(do func()) step.Step[flow.Ended[int, int], int] {
	return step.Map(func(flow.Ended[int, int]) int { do(); return 0 })
}

func mutexFor(int) syncx.Guard { return syncx.NewMutex(1, 0) }

type learningGuard struct {
	hookedGuard
	learn func()
}

func (p *learningGuard) Learn(*syncx.Ticket, syncx.Outcome) { p.learn() }

type leasingGuard struct {
	hookedGuard
	lease func()
}

func (l *leasingGuard) Lease(*syncx.Ticket, syncx.Lease) uint64 { l.lease(); return 1 }
