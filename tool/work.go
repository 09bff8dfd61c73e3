package tool

import (
	"context"
	"reflect"

	"github.com/futoin-go/asyncsteps/fault"
)

// Body is the code that a step calls, with its types: the function of a step.Await, or the plan of a flow.Call.
// It isn't for programs, but for those who write an engine. Each such step of a plan has one, made together
// with the step, so the pointer identifies the step. It is immutable.
type Body struct {
	In, Out reflect.Type

	// Call calls the function of a step.Await with an input of type In. It blocks until the function returns, and may be
	// called from any goroutine. A panic of the function goes to the caller. Call is nil for a flow.Call.
	Call func(ctx context.Context, in reflect.Value) (out reflect.Value, err error)

	// Start starts a run of the plan of a flow.Call on loop, as flow.Start does. end is called
	// with the result, on the loop, or by Start itself if the run has ended already. The returned
	// function cancels the run, as flow.Running.Cancel does. Start is nil for a step.Await.
	Start func(ctx context.Context, loop Tool, in reflect.Value, end func(out reflect.Value, err error)) (cancel func(cause error) bool)
}

// Work is one execution of a [Body] that a loop may take over; see [WithWork]. It isn't for programs,
// but for those who write an engine.
type Work struct {
	Body *Body

	// Kind, Name and Path identify the step, as in flow.Tree.
	Kind, Name, Path string

	// Site returns where the step was built.
	Site func() fault.Site

	// Context carries the values of the run's context. It ends with the step, with the reason
	// as its cause, and has the deadline of the limits around the step.
	//
	//spec:rule C8
	Context context.Context

	// In is the input, of type Body.In.
	In reflect.Value

	// Done completes the step, with err or, if err is nil, with out. out must be assignable to Body.Out. Call Done once,
	// even after stop was called: a step that is left waits for this call, up to its grace, as it would for the end of its
	// goroutine. Any goroutine may call it; on a loop with [WithDeterministic] only a callback of the loop may. It reports
	// false if it came too late. It also reports false if out has a wrong type; then the step fails with InternalError.
	//
	//spec:rule C7
	Done func(out reflect.Value, err error) bool
}

// WithWork sets the function take. take is called on the loop, whenever a step.Await is about to
// use a goroutine, and whenever a flow.Call that has a name is about to begin its steps. If take
// returns true it has taken over the work, and the step waits for Work.Done. If take returns false
// the step goes on as on any other loop.
//
// The function stop that take returns is called at most once, on the loop, when the step is
// left before Done was called; cause is the reason. It must not block, and may be nil. A panic
// or [runtime.Goexit] in take fails the step, one in stop is reported, and so is one in take after Done was called. A take
// that has called Done has taken the work, whatever it returns.
//
// With WithWork an engine can execute steps elsewhere, in another process or on goroutines of its own. take is also called
// for runs that a run starts on the loop that step.Scope.Loop returns. The steps of a flow.On stay on the loop of their
// run.
//
//spec:ftn12 §2.2.1 await
func WithWork(take func(w Work) (stop func(cause error), taken bool)) HostOption {
	return func(h *Host) { h.work = take }
}

// WithDeterministic declares that the callbacks of the loop decide what happens on it, so that a run can be
// repeated. On such a host a foreign goroutine can't complete a step.Wait: step.Done reports false, and the
// attempt is reported to the error handler of the loop, as an InternalError with the path of the step. A
// step.Await fails with InternalError, unless the function given to [WithWork] takes it over.
//
//spec:ftn12 §2.6
func WithDeterministic() HostOption { return func(h *Host) { h.deterministic = true } }

// Work calls the function given to [WithWork] and returns whether it takes over w. It isn't for
// programs: steps call it, on the goroutine of the loop.
func (h *Host) Work(w Work) (stop func(cause error), taken bool) {
	if h.work == nil {
		return nil, false
	}
	return h.work(w)
}

// TakesWork reports whether the host was made with [WithWork].
func (h *Host) TakesWork() bool { return h.work != nil }

// Deterministic reports whether the host was made with [WithDeterministic].
func (h *Host) Deterministic() bool { return h.deterministic }
