package flow_test

import (
	"context"
	"log/slog"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// leftContacts are functions that are called while a step is being left, and others whose errors no step gets.
var leftContacts = append(leaving(),
	contact{name: "Await that is left behind", effect: same, plan: func(do func()) intStep {
		return flow.Timeout(time.Second, step.Await(func(context.Context, int) (int, error) {
			block(5 * time.Second)
			do()
			return 0, nil
		}))
	}},
	contact{
		name: "OnError of WithOptions", effect: quiet, plan: hookPanicsReported,
		ctx: func(ctx context.Context, do func()) context.Context {
			return flow.WithOptions(ctx, tool.Options{OnError: func(error) { do() }})
		},
		options: func(o *tool.Options, do func()) {
			told := o.OnError
			o.OnError = func(err error) { told(err); do() }
		},
	},
	contact{
		name: "Error of an error that is logged", effect: quiet,
		plan: func(do func()) intStep {
			return loopx.Loop(sum(flow.Par(
				flow.OnCancel(step.New(func(as step.Scope, _ int) intNext { return step.Wait[int](as, nil) }),
					func(step.Scope) { panic(speaker(do)) }),
				flow.Then(step.Delay[int](time.Second), breaksLoop()))))
		},
		options: func(o *tool.Options, _ func()) {
			slog.SetDefault(slog.New(slog.NewTextHandler(discardHandler{}, nil)))
			o.OnError = nil
		},
	},
	contact{
		name: "Handle of the log", effect: quiet, plan: hookPanicsReported,
		options: func(o *tool.Options, do func()) {
			slog.SetDefault(slog.New(callingHandler{slog.DiscardHandler, do}))
			o.OnError = nil
		},
	},
	contact{name: "AfterFunc of a context", effect: bound, exit: noRun, plan: deriveContext, ctx: func(ctx context.Context, do func()) context.Context {
		return &afterFuncContext{Context: ctx, arm: do}
	}},
	contact{name: "stop of AfterFunc of a context", effect: bound, exit: free, plan: deriveContext, ctx: func(ctx context.Context, do func()) context.Context {
		return &afterFuncContext{Context: ctx, disarm: do}
	}},
	contact{name: "Flight at an error's Error", effect: quiet, plan: failWith(func(do func()) error { return speaker(do) }),
		ctx: func(ctx context.Context, _ func()) context.Context { return observe.With(ctx, observe.Flight(8)) }},
	contact{name: "Flight at an error's Unwrap", effect: quiet, plan: failWith(func(do func()) error { return wrapper(do) }),
		ctx: func(ctx context.Context, _ func()) context.Context { return observe.With(ctx, observe.Flight(8)) }},
	contact{name: "Log at an error's Error", effect: quiet, plan: failWith(func(do func()) error { return speaker(do) }),
		ctx: func(ctx context.Context, _ func()) context.Context {
			return observe.With(ctx, observe.Log(slog.New(slog.NewTextHandler(discardHandler{}, nil)), slog.LevelDebug))
		}},
)

// leaving returns contacts for functions that are called while a step is being left, each with several ways to leave it.
func leaving() (all []contact) {
	stuck := func(as step.Scope) intNext { return step.Wait[int](as, nil) }
	for name, plan := range map[string]func(do func()) intStep{
		"a hook": func(do func()) intStep {
			return step.New(func(as step.Scope, _ int) intNext { as.SetCancel(do); return stuck(as) })
		},
		"OnCancel": func(do func()) intStep {
			return flow.OnCancel(step.New(func(as step.Scope, _ int) intNext { return stuck(as) }), func(step.Scope) { do() })
		},
		"a cleanup": func(do func()) intStep {
			return step.New(func(as step.Scope, _ int) intNext {
				step.StackCleanup(as, func(*int) { do() })
				return stuck(as)
			})
		},
		"Guard.Leave": func(do func()) intStep {
			return syncx.Sync(&hookedGuard{leave: do}, step.New(func(as step.Scope, _ int) intNext { return stuck(as) }))
		},
		"Guard.Withdraw": func(do func()) intStep {
			return syncx.Sync(&hookedGuard{closed: true, withdraw: do}, plantest.Add(1))
		},
		"release of a Bracket": func(do func()) intStep {
			return flow.Bracket(plantest.Add(1), step.New(func(as step.Scope, _ int) intNext { return stuck(as) }), releasing(do))
		},
		"undo of a Saga": func(do func()) intStep {
			return flow.Saga(flow.Then(flow.Undo(plantest.Add(1), step.Map(func(in int) int { do(); return in })),
				step.New(func(as step.Scope, _ int) intNext { return stuck(as) })))
		},
		"the goroutine of an Await": func(do func()) intStep {
			return step.Await(func(ctx context.Context, in int) (int, error) {
				<-ctx.Done()
				block(time.Second / 10) // by then the step is being left
				do()
				return in, nil
			})
		},
	} {
		all = append(all,
			contact{name: name + ", the context ends", effect: joined, plan: plan, ctx: func(ctx context.Context, _ func()) context.Context {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(time.Second, cancel)
				return ctx
			}},
			contact{name: name + ", a limit around passes", effect: joined, plan: func(do func()) intStep {
				return flow.Timeout(time.Second, plan(do))
			}},
			contact{name: name + ", a branch beside it fails", effect: joined, plan: func(do func()) intStep {
				return sum(flow.Par(plan(do), failAfter(time.Second, errFirst)))
			}},
			contact{name: name + ", a branch beside it breaks", effect: same, plan: func(do func()) intStep {
				return loopx.Loop(sum(flow.Par(plan(do), flow.Then(step.Delay[int](time.Second), breaksLoop()))))
			}},
			contact{name: name + ", a branch beside it wins", effect: same, plan: func(do func()) intStep {
				return flow.First(plan(do), step.Delay[int](time.Second))
			}},
			contact{name: name + ", it lingers after a race", effect: same, plan: func(do func()) intStep {
				return flow.First(flow.Linger(time.Minute, plan(do)), step.Delay[int](time.Second))
			}},
			contact{name: name + ", it lingers after a limit", effect: same, plan: func(do func()) intStep {
				return flow.Timeout(time.Second, flow.Linger(time.Minute, flow.Linger(time.Minute, plan(do))))
			}},
		)
	}
	return all
}

func breaksLoop() intStep {
	return step.New(func(step.Scope, int) intNext { return loopx.Break[int]() })
}

// hookPanicsReported makes a plan in which the hook of a branch that has lost a race panics. Only the loop's
// error handler gets that panic.
func hookPanicsReported(func()) intStep {
	return flow.First(flow.OnCancel(step.Delay[int](time.Hour), func(step.Scope) { panic("for OnError") }), step.Delay[int](time.Second))
}

// discardHandler drops records that were formatted. slog.DiscardHandler wouldn't format them.
type discardHandler struct{}

func (discardHandler) Write(p []byte) (int, error) { return len(p), nil }

type callingHandler struct {
	slog.Handler
	do func()
}

func (callingHandler) Enabled(context.Context, slog.Level) bool { return true }

func (s callingHandler) Handle(context.Context, slog.Record) error { s.do(); return nil }

// afterFuncContext has a method AfterFunc, which package context calls.
type afterFuncContext struct {
	context.Context
	done        chan struct{}
	arm, disarm func()
}

func (a *afterFuncContext) Done() <-chan struct{} {
	if a.done == nil {
		a.done = make(chan struct{})
	}
	return a.done
}

func (a *afterFuncContext) AfterFunc(func()) (stop func() bool) {
	call(a.arm)
	return func() bool { call(a.disarm); return true }
}
