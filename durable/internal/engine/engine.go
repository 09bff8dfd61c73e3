package engine

import (
	"context"
	"reflect"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

// Engine is where runs live. It is safe for concurrent use. Contexts are not nil, and the id given to Start is not empty.
type Engine interface {
	// Start starts a run of d with an input of type d.Root.In, unless the engine has a run with the given id, ended or not. If that
	// run is one of another workflow, Start returns the error of Definition.Started.
	Start(ctx context.Context, d *Definition, id string, in any) error

	// Result waits for the end of the run and stores its result in out, a pointer. If the run can't have such a result, Result
	// returns the error of Definition.Gives.
	Result(ctx context.Context, d *Definition, id string, out any) error

	// Cancel asks the run to end.
	Cancel(ctx context.Context, id string) error

	// Signal sends a signal to the run.
	Signal(ctx context.Context, id, name string, v reflect.Value) error

	// Query returns the answer of the run to what, which is QueryPlace or QueryPicture.
	Query(ctx context.Context, d *Definition, id, what string) (string, error)
}

// The queries that [Engine].Query answers.
const (
	QueryPlace   = "place"
	QueryPicture = "picture"
)

// Burst is the tool.Options.Burst of the loop of a run. The order of what a run does depends on it, so a run that was recorded
// with another number can't be repeated.
const Burst = 128

// Run is a run on an engine, as the steps of its plan see it.
type Run interface {
	// Host returns the host of the run's loop.
	Host() *tool.Host

	// Receive makes the engine call give once, on the loop, when there is a signal with the given name whose value fits typ.
	// withdraw prevents the call.
	Receive(name string, typ reflect.Type, give func(v reflect.Value)) (withdraw func())

	// Before reports whether the run came to the named patch with code that didn't have the patch yet. The first call for a patch
	// decides, until the run begins anew.
	Before(patch string) bool

	// Long reports whether the history of the run has become so long that the run ought to begin anew. A run that is repeated
	// gets the same answers.
	Long() bool
}

// LongEvents and LongBytes are the lengths from which on a history is long, in engines that decide this themselves. The numbers
// must not change: a run that is repeated must get the same answers.
const (
	LongEvents = 4096
	LongBytes  = 4 << 20
)

type runKey struct{}

// With returns a context for the steps of run, for which [RunOf] returns run.
func With(ctx context.Context, run Run) context.Context { return context.WithValue(ctx, runKey{}, run) }

// RunOf returns the run of the step whose context is ctx. It returns nil if that run isn't on an engine, as one that a body starts
// with its context.
func RunOf(ctx context.Context) Run {
	if Key(ctx) != "" {
		return nil
	}
	run, _ := ctx.Value(runKey{}).(Run)
	return run
}

// RunIn is RunOf for the step of as. It returns nil if as is on another loop than the run's, because the methods of a Run are only
// called on that loop.
func RunIn(as step.Scope) Run {
	run := RunOf(as.Context())
	if run == nil || as.Loop().Host() != run.Host() {
		return nil
	}
	return run
}

// Taken returns the error of a named flow.Call whose run would have the id of another run.
func Taken(id string) error {
	return fault.New(fault.InternalError, "there is another run of the id "+id)
}

// Errors of all engines.
var (
	ErrNoRun         = fault.New(fault.InvalidRequest, "there is no run of that id")
	ErrOtherWorkflow = fault.New(fault.InvalidRequest, "the id is that of a run of another workflow")
	ErrCancelled     = fault.New(fault.Cancelled, "the workflow was cancelled")
	ErrTerminated    = fault.New(fault.InternalError, "the run was terminated, and undid nothing")
)
