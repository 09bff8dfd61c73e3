package durable

import (
	"context"
	"reflect"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

// Engine is where runs live. [Local] makes one, and so do packages durable/sqlite and durable/temporal. It is safe for
// concurrent use. [Workflow.Start], [Send] and the methods of [Run] that take a context fail with InvalidRequest on the zero
// Engine, and with a nil context.
type Engine struct{ e engine.Engine }

// On returns the Engine whose implementation is e, for the packages of engines.
func On(e engine.Engine) Engine { return Engine{e} }

// ErrNoRun means that an [Engine] has no run with the given id, or, as the error of [Send], that the run has ended.
var ErrNoRun = engine.ErrNoRun

// ErrOtherWorkflow means that the run with the given id belongs to a [Workflow] of another name. [Workflow.Start] starts nothing,
// and [Run.Wait] returns no result.
var ErrOtherWorkflow = engine.ErrOtherWorkflow

// ErrUnexpectedSignal means that no step of the plan waits for a signal with the name and type that were sent: see [Send].
var ErrUnexpectedSignal = engine.ErrUnexpectedSignal

// ErrTerminated means that an operator has terminated the run, or that the server has, because the history of the run had become too
// long. No hook was called, and nothing was undone. The error of [Run.Wait] has the reason in its text.
var ErrTerminated = engine.ErrTerminated

// ErrUnstorable means that a value can't be stored, such as math.NaN(), or that it takes more than about two MiB. A step whose body
// has such an input or result fails with an error that wraps this one; with such an input the body isn't called. A run whose result
// can't be stored ends with such an error, and [Workflow.Start] and [Send] return one.
var ErrUnstorable = engine.ErrUnstorable

var (
	errNoEngine  = fault.New(fault.InvalidRequest, "the zero durable.Engine runs nothing")
	errNoContext = fault.New(fault.InvalidRequest, "the context is nil")
)

func usable(ctx context.Context, e engine.Engine) error {
	switch {
	case e == nil:
		return errNoEngine
	case ctx == nil:
		return errNoContext
	}
	return nil
}

// Run refers to a run of a [Workflow] on any engine. It holds no state of the run: copies refer to the same run, and a Run
// need not be closed. It is safe for concurrent use.
type Run[Out any] struct {
	id  string
	def *engine.Definition
	on  engine.Engine
}

// Start starts a run with the given id. If the engine has a run with this id, ended or not, Start starts none, and the Run refers
// to the existing one, so it is safe to call Start again. If the existing run is one of another workflow, the error is
// [ErrOtherWorkflow]. Other errors are those of [Workflow.Err], and reasons why the run couldn't be started.
func (w *Workflow[In, Out]) Start(ctx context.Context, on Engine, id string, in In) (Run[Out], error) {
	run := w.Attach(on, id)
	if err := w.Err(); err != nil {
		return run, err
	}
	if err := usable(ctx, on.e); err != nil {
		return run, err
	}
	if id == "" {
		return run, fault.New(fault.InvalidRequest, "the id of a run is empty")
	}
	return run, on.e.Start(ctx, w.def, id, in)
}

// Attach returns the run with the given id, as if this process had started it. Attach doesn't check whether the engine has such a run:
// if not, [Run.Wait] and the other methods that take a context fail with [ErrNoRun].
func (w *Workflow[In, Out]) Attach(on Engine, id string) Run[Out] { return Run[Out]{id, w.def, on.e} }

// ID returns the id that the run was started with.
func (r Run[Out]) ID() string { return r.id }

// Wait blocks until the run has ended, and returns its result. The error of the run has the text that it had where it ran, if that
// isn't longer than 64 KiB; errors.Is finds codes of package fault, errors that were named by [Errors], and those listed there that
// need no name. The error is [ErrTerminated] if the run was terminated, and [ErrOtherWorkflow] if it is a run of another workflow.
// If ctx ends first, Wait returns its cause, and the run goes on. A run that began anew (see [Again]) has not ended. Neither has a
// run that stands still: the engine reports why, and Wait goes on waiting.
func (r Run[Out]) Wait(ctx context.Context) (out Out, err error) {
	if err := usable(ctx, r.on); err != nil {
		return out, err
	}
	err = r.on.Result(ctx, r.def, r.id, &out)
	return out, err
}

// Cancel asks the run to end, and returns when the engine has recorded the request. The run ends as with flow.Running.Cancel:
// the contexts of bodies end, hooks and cleanups run. On Temporal the context of a body ends with its next heartbeat: see
// [Heartbeat]. A run that has ended stays as it is.
func (r Run[Out]) Cancel(ctx context.Context) error {
	if err := usable(ctx, r.on); err != nil {
		return err
	}
	return r.on.Cancel(ctx, r.id)
}

// Place returns the steps that the run waits for, one on a line: the path, and the name of the step, or else the function that it
// calls, or its kind.
func (r Run[Out]) Place(ctx context.Context) (string, error) {
	if err := usable(ctx, r.on); err != nil {
		return "", err
	}
	return r.on.Query(ctx, r.def, r.id, engine.QueryPlace)
}

// Picture returns the plan as a Mermaid diagram, in which the steps that the run waits for are marked.
func (r Run[Out]) Picture(ctx context.Context) (string, error) {
	if err := usable(ctx, r.on); err != nil {
		return "", err
	}
	return r.on.Query(ctx, r.def, r.id, engine.QueryPicture)
}

// Send sends a signal to a run: a step of [Signal] with the same name and type receives it. Send returns when the engine has
// recorded the signal. If the run has ended, Send fails with [ErrNoRun].
//
// Send fails with [ErrUnexpectedSignal] if no step of the plan waits for a signal with this name and type. If bodies of the plan
// may enter other steps, by step.Into, Send also sends a signal with a name that no step of the plan has. A run logs at its end the
// signals that no step has received. Use each name for one type: some engines look for the step by name alone.
func Send[T, Out any](ctx context.Context, to Run[Out], name string, v T) error {
	if err := usable(ctx, to.on); err != nil {
		return err
	}
	if err := to.def.Waits.Expects(name, reflect.TypeFor[T]()); err != nil {
		return err
	}
	return to.on.Signal(ctx, to.id, name, reflect.ValueOf(&v).Elem())
}
