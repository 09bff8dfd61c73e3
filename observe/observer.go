package observe

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/tool"
)

// Observer is asked about each run that is started.
//
// A panic in Start goes to the error handler of the run's loop, or, for a run of flow.Run, to
// that of flow.WithOptions. The observer doesn't observe that run then. If Start calls
// [runtime.Goexit], the goroutine that starts the run ends, and the run isn't started.
//
// An Observer that is shared by runs on several goroutines must be safe for concurrent use.
type Observer interface {
	// Start is called on the goroutine that starts the run, before any step runs. It returns
	// the context of the run: ctx, or a context derived from ctx. The Watch is told the events
	// of the run; if it is nil, the observer isn't told any.
	Start(ctx context.Context, run Run) (context.Context, Watch)
}

// Watch is told of the events of one run, in their order. It is called on the goroutine of the run's loop, one call at a
// time, and must not block: the loop runs nothing else meanwhile. A Watch may cancel and start runs. A step.Scope does nothing in
// a Watch, because a Watch isn't code of a step. [RunEnd] is the last event. For a run that could not be started RunEnd is the only
// event, on the goroutine that tried to start the run.
//
// A panic in a Watch goes to the loop's error handler and doesn't change the run. If a Watch
// calls [runtime.Goexit], as t.FailNow does, the run still ends. At an event whose Kind is less
// than Resumed the step fails. At other events the run goes on as if nothing had happened.
type Watch func(e Event)

// Func makes an Observer of a function.
type Func func(ctx context.Context, run Run) (context.Context, Watch)

// Start calls f.
func (f Func) Start(ctx context.Context, run Run) (context.Context, Watch) { return f(ctx, run) }

type observersKey struct{}

// With returns a context whose runs o observes, in addition to the observers that ctx has
// already. If o or ctx is nil, With returns ctx. Any goroutine may call With.
func With(ctx context.Context, o Observer) context.Context {
	if o == nil || ctx == nil {
		return ctx
	}
	before, _ := ctx.Value(observersKey{}).([]Observer)
	all := slices.Concat(before, []Observer{o})
	ctx = context.WithValue(ctx, observersKey{}, all)
	return plan.WithObserver(ctx, func(ctx context.Context, host *tool.Host, n *plan.Node) (context.Context, frame.Watch) {
		return start(ctx, host, n, all)
	})
}

// last is the number of the run that was started last.
var last atomic.Uint64

type runKey struct{}

// start asks the observers about a run.
func start(ctx context.Context, host *tool.Host, n *plan.Node, all []Observer) (context.Context, frame.Watch) {
	id := identify(ctx)
	run := Run{ID: id.id, Started: time.Now(), node: n, id: id}
	_, run.Part = ctx.(frame.Inherited)
	if outer, ok := ctx.Value(runKey{}).(*identity); ok {
		run.Parent = outer.id
	}
	ctx = context.WithValue(ctx, runKey{}, id)
	var watches []Watch
	asked := false
	defer func() {
		if !asked && len(watches) > 0 { // an observer has called Goexit: tell those asked before it that there is no run
			tellAll(watches, Event{Kind: RunEnd, Err: fault.New(fault.InternalError, "an observer has called Goexit before the run was started")})
		}
	}()
	for _, o := range all {
		inner, watch := ask(ctx, host, o, run)
		if inner != nil {
			ctx = inner //nolint:fatcontext // each observer adds to the context of the one before
		}
		if watch != nil {
			watches = append(watches, watch)
		}
	}
	asked = true
	switch len(watches) {
	case 0:
		return ctx, nil
	case 1:
		watch := watches[0]
		return ctx, func(e frame.Event) { watch(event(e)) }
	default:
		return ctx, func(e frame.Event) { tellAll(watches, event(e)) }
	}
}

// ask calls o.Start. If Start panics, ask returns nil and nil.
func ask(ctx context.Context, host *tool.Host, o Observer, run Run) (inner context.Context, watch Watch) {
	host.Call(func() { inner, watch = o.Start(ctx, run) }) //nolint:fatcontext // it is the answer
	return inner, watch
}

// tellAll calls all watches, the later ones even if an earlier one panics or calls Goexit.
func tellAll(watches []Watch, e Event) {
	if len(watches) > 1 {
		defer tellAll(watches[1:], e)
	}
	watches[0](e)
}
