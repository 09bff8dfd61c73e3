package flow_test

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/stream"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// loopContacts are functions that are called for events: observers, functions given to Then, error handlers, watchdogs.
var loopContacts = append(watches(),
	contact{name: "Observer.Start", effect: same, exit: noRun, ctx: func(ctx context.Context, do func()) context.Context {
		return observe.With(ctx, observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
			do()
			return ctx, nil
		}))
	}},
	contact{
		name: "Then", effect: same, plan: func(func()) intStep { return step.Delay[int](time.Second) },
		after: func(r *flow.Running[int], do func()) { r.Then(func(int, error) { do() }) },
	},
	contact{
		name: "OnError", effect: same, plan: func(func()) intStep { return step.Delay[int](time.Second) },
		after: func(r *flow.Running[int], _ func()) { r.Then(func(int, error) { panic("for OnError") }) },
		options: func(o *tool.Options, do func()) {
			told := o.OnError
			o.OnError = func(err error) { told(err); do() }
		},
	},
	contact{
		name: "OnError for a goroutine that is left behind", effect: same,
		plan: func(func()) intStep {
			return flow.Timeout(time.Second, step.Await(func(context.Context, int) (int, error) {
				block(5 * time.Second)
				return 0, nil
			}))
		},
		options: func(o *tool.Options, do func()) {
			told := o.OnError
			o.OnError = func(err error) { told(err); do() }
		},
		after: func(*flow.Running[int], func()) {},
	},
	contact{
		name: "Watchdog.Report", effect: same,
		plan:  func(func()) intStep { return step.Map(func(in int) int { block(3 * time.Second); return in }) }, //stepvet:ignore the watchdog has to see it
		after: func(*flow.Running[int], func()) {},
		options: func(o *tool.Options, do func()) {
			o.Watchdog = tool.Watchdog{After: time.Second, Report: func(tool.Stall) { do() }}
		},
	},
)

// watches returns a contact for each kind of event: a watch that is told of it. For the effect of Goexit see
// observe.Watch.
func watches() (all []contact) {
	for kind := observe.StepStart; kind <= observe.RunEnd; kind++ {
		c := contact{name: "Watch at " + kind.String(), effect: same, plan: eventful}
		if kind < observe.Resumed {
			c.exit = free
		}
		c.ctx = func(ctx context.Context, do func()) context.Context {
			return observe.With(ctx, observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
				return ctx, func(e observe.Event) {
					if e.Kind == kind {
						do()
					}
				}
			}))
		}
		if kind == observe.Cancelled {
			c.plan = func(func()) intStep {
				return step.New(func(as step.Scope, _ int) intNext { return step.Wait[int](as, nil) })
			}
			c.after = func(r *flow.Running[int], _ func()) { r.Cancel(nil) }
		}
		all = append(all, c)
	}
	return all
}

// eventful returns a plan that causes each kind of event but a cancel.
func eventful(func()) intStep {
	m := syncx.NewMutex(1, -1)
	in := syncx.Sync(m, step.Delay[int](time.Second))
	late := flow.Catch(flow.Timeout(time.Second, step.Delay[int](time.Minute)), func(step.Scope, error) intNext { return step.Succeed(5) })
	bad := flow.Catch(step.Func(fail), func(step.Scope, error) intNext { return step.Succeed(5) })
	opens := flow.Catch(syncx.Sync(syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1}), step.Func(fail)),
		func(step.Scope, error) intNext { return step.Succeed(5) })
	streamed := flow.Then(step.Map(func(in int) []int { return []int{in} }), stream.Count(stream.Slice[int]()))
	return flow.Then(streamed, flow.Then(sum(flow.Par(in, in)), flow.Then(opens, flow.Then(bad, late))))
}
