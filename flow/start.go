package flow

import (
	"context"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Running is a run that was started. Its methods may be called from any goroutine, any number of times, during
// the run and after it. The zero Running stands for no run: it has ended with fault.InvalidRequest. The
// methods of a nil *Running panic.
type Running[Out any] struct{ f plan.Future[Out] }

// ErrRunning is returned by Result before the run has ended.
var ErrRunning = fault.New(fault.InvalidRequest, "the run has not ended yet")

// ErrOnLoop is returned by Wait on the goroutine of the run's loop, where the run couldn't go on while
// Wait blocks. A step waits for a run by [AwaitRun] instead.
var ErrOnLoop = fault.New(fault.InternalError, "a loop can't wait for a run of its own: in a plan, use flow.AwaitRun")

// Start queues a run of s on loop. It calls no step itself: steps run on the loop. They may run before Start returns if
// another goroutine drives the loop. The context acts as for [Run].
//
// If the run can't be started, for example because the plan isn't well formed, the context has ended, or the loop shuts
// down (errors.Is tool.ErrShutdown), the run has ended with an error when Start returns.
//
//spec:ftn12 §1.13, §2.2.1 newInstance, §2.2.3 execute, promise; rule O1
func Start[In, Out any](ctx context.Context, loop tool.Tool, s step.Step[In, Out], in In) *Running[Out] {
	r := new(Running[Out])
	plan.Start(ctx, loop, given(s, "Start: the stage is nil, or the zero Plan"), in, &r.f)
	return r
}

// Wait blocks until the run has ended and returns its result; see [Run] for the error. If ctx
// ends first, Wait returns the cause of ctx and the run goes on. As long as the run hasn't ended, Wait
// returns ErrOnLoop on the goroutine of the loop, and fault.InvalidRequest if ctx is nil.
//
//spec:ftn12 §2.2.3 promise
func (r *Running[Out]) Wait(ctx context.Context) (Out, error) {
	out, err, over := r.f.Result()
	if over {
		return out, err
	}
	if ctx == nil {
		return out, fault.New(fault.InvalidRequest, "the context is nil")
	}
	if r.f.InLoop() {
		return out, ErrOnLoop
	}
	ctx = r.f.WrapContext(ctx)
	select {
	case <-r.f.Done():
		out, err, _ = r.f.Result()
		return out, err
	case <-ctx.Done():
		return out, context.Cause(ctx)
	}
}

// Done returns a channel, the same at each call, that is closed when the run has ended.
func (r *Running[Out]) Done() <-chan struct{} { return r.f.Done() }

// Result returns the result of a run that has ended, or ErrRunning before. A tooltest.Loop doesn't wait for the
// goroutines of step.Await, Act and Do: a test gets ErrRunning while such a goroutine still executes its body.
func (r *Running[Out]) Result() (Out, error) {
	out, err, over := r.f.Result()
	if !over {
		return out, ErrRunning
	}
	return out, err
}

// Then calls fn with the result when the run has ended, on the loop, where fn must not block. If the run has ended
// already, Then calls fn on the calling goroutine before it returns. A panic in fn is reported to the loop's error
// handler. A nil fn is ignored.
func (r *Running[Out]) Then(fn func(out Out, err error)) {
	if fn != nil {
		r.f.Then(fn)
	}
}

// Cancel asks the run to end. It reports false if the run has ended already, or waits only for what lingers,
// see [Linger]. It may also report false right after an outermost [Saga] has succeeded, because that success may be the
// result of the run. If another step follows the Saga, the run is cancelled all the same.
//
// The loop leaves all steps of the run, from the innermost outwards: timers are stopped, cancel hooks and cleanups run,
// each once; no error handler is asked. Steps in a [Shield] or the like go on until they end, within the grace. The run
// then ends with fault.Cancelled, which Is context.Canceled and wraps cause; a nil cause stands for context.Canceled.
// The first cause counts.
//
//spec:ftn12 §2.2.3 cancel; rule C1
func (r *Running[Out]) Cancel(cause error) bool { return r.f.Cancel(cause) }
