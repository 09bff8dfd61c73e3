package flow_test

import (
	"context"
	"iter"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

type (
	intStep = step.Step[int, int]
	intNext = step.Next[int]
)

var stepContacts = []contact{
	{name: "Map", effect: thrown, plan: func(do func()) intStep {
		return step.Map(func(in int) int { do(); return in })
	}},
	{name: "Func", effect: thrown, plan: func(do func()) intStep {
		return step.Func(func(_ step.Scope, in int) (int, error) { do(); return in, nil })
	}},
	{name: "New", effect: thrown, plan: func(do func()) intStep {
		return step.New(func(as step.Scope, in int) intNext { do(); return step.Into(as, plantest.Add(1), in) })
	}},
	{name: "a branch", effect: thrown, plan: func(do func()) intStep {
		return sum(flow.Par(plantest.Add(1), step.Map(func(in int) int { do(); return in })))
	}},
	{name: "begin of Wait", effect: thrown, plan: func(do func()) intStep {
		return step.New(func(as step.Scope, in int) intNext {
			return step.Wait(as, func(done step.Done[int]) { do(); done.Succeed(in) })
		})
	}},
	{name: "Await", effect: thrown, plan: func(do func()) intStep {
		return step.Await(func(_ context.Context, in int) (int, error) { do(); return in, nil })
	}},
	{name: "AwaitChan", effect: thrown, plan: func(do func()) intStep {
		return flow.AwaitChan(func(_ context.Context, in int) <-chan int {
			do()
			c := make(chan int, 1)
			c <- in
			return c
		})
	}},
	{name: "AwaitRun", effect: thrown, plan: func(do func()) intStep {
		return step.New(func(as step.Scope, in int) intNext {
			loop := as.Loop()
			return step.Into(as, flow.AwaitRun(func(_ context.Context, in int) *flow.Running[int] {
				do()
				return flow.Start(context.Background(), loop, plantest.Add(1), in)
			}), in)
		})
	}},
	{name: "an iterator", effect: thrown, plan: func(do func()) intStep {
		var seq iter.Seq[int] = func(yield func(int) bool) { do(); yield(1) }
		each := loopx.EachSeq(step.Map(func(i loopx.Item[int, int, int]) int { return i.Value }))
		return step.New(func(as step.Scope, _ int) intNext { return step.Into(as, each, seq) })
	}},
	{name: "a handler", effect: thrown, plan: func(do func()) intStep {
		return flow.Catch(step.Func(fail), func(step.Scope, error) intNext { do(); return step.Succeed(1) })
	}},
	{name: "a hook", effect: joined, plan: func(do func()) intStep {
		return step.New(func(as step.Scope, in int) intNext {
			as.SetCancel(do)
			return step.Into(as, step.Func(fail), in)
		})
	}},
	{name: "OnCancel", effect: joined, plan: func(do func()) intStep {
		return flow.OnCancel(step.Func(fail), func(step.Scope) { do() })
	}},
	{name: "a cleanup after success", effect: thrown, plan: func(do func()) intStep {
		return step.Func(func(as step.Scope, in int) (int, error) {
			step.StackCleanup(as, func(*int) { do() })
			return in, nil
		})
	}},
	{name: "a cleanup after an error", effect: joined, plan: func(do func()) intStep {
		return step.Func(func(as step.Scope, _ int) (int, error) {
			step.StackCleanup(as, func(*int) { do() })
			return 0, errFirst
		})
	}},
	{name: "a hook when a limit passes", effect: joined, plan: func(do func()) intStep {
		return flow.Timeout(time.Second, step.New(func(as step.Scope, _ int) intNext {
			as.SetCancel(do)
			return step.Wait[int](as, nil)
		}))
	}},
	{name: "Guard.Enter", effect: thrown, plan: func(do func()) intStep {
		return syncx.Sync(&hookedGuard{enter: do}, plantest.Add(1))
	}},
	{name: "Guard.Leave after success", effect: thrown, plan: func(do func()) intStep {
		return syncx.Sync(&hookedGuard{leave: do}, plantest.Add(1))
	}},
	{name: "Guard.Leave after an error", effect: joined, plan: func(do func()) intStep {
		return syncx.Sync(&hookedGuard{leave: do}, step.Func(fail))
	}},
	{name: "Guard.Withdraw", effect: joined, plan: func(do func()) intStep {
		return flow.Timeout(time.Second, syncx.Sync(&hookedGuard{closed: true, withdraw: do}, plantest.Add(1)))
	}},
	{name: "Failure of a breaker", effect: same, exit: quiet, plan: func(do func()) intStep {
		return failInBreaker(syncx.BreakerPolicy{Failure: func(error) bool { do(); return true }})
	}},
	{name: "OnChange of a breaker", effect: same, exit: quiet, plan: func(do func()) intStep {
		return failInBreaker(syncx.BreakerPolicy{Failures: 1, OnChange: func(_, _ syncx.BreakerState) { do() }})
	}},
	{name: "If of a retry", effect: thrown, plan: func(do func()) intStep {
		return failInRetry(retry.Policy{Tries: 2, If: func(error) bool { do(); return false }})
	}},
	{name: "PauseAfter of a retry", effect: thrown, plan: func(do func()) intStep {
		return failInRetry(retry.Policy{Tries: 2, PauseAfter: func(int, error) time.Duration { do(); return time.Second }})
	}},
	{name: "a variable with a method Drop", effect: quiet, exit: quiet, plan: func(do func()) intStep {
		key := step.NewVar[droppable]("pool")
		return step.Func(func(as step.Scope, in int) (int, error) { key.Set(as, do); return in, nil })
	}},
}

type droppable func()

func (d droppable) Drop() { d() }

// hookedGuard is a guard whose methods call functions. It is used as a pointer, so that it can be compared.
type hookedGuard struct {
	closed                 bool
	enter, leave, withdraw func()
}

func (d *hookedGuard) Enter(*syncx.Ticket) (bool, error) { call(d.enter); return !d.closed, nil }
func (d *hookedGuard) Leave(*syncx.Ticket)               { call(d.leave) }
func (d *hookedGuard) Withdraw(*syncx.Ticket)            { call(d.withdraw) }

func call(fn func()) {
	if fn != nil {
		fn()
	}
}

func failInBreaker(p syncx.BreakerPolicy) intStep {
	return syncx.Sync(syncx.NewBreaker(p), step.Func(fail))
}

func failInRetry(p retry.Policy) intStep { return retry.Of(p, step.Func(fail)) }
