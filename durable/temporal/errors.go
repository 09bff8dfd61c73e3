package temporal

import (
	"context"
	"errors"
	"net"

	"go.temporal.io/sdk/temporal"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/fault"
)

// wireType is the type of the Temporal failures that hold errors of bodies and of runs.
const wireType = "asyncsteps"

// ofNet are errors that pass without being named by durable.Errors, in addition to those that pass on all engines.
var ofNet = []engine.NamedError{{Name: "net.ErrClosed", Err: net.ErrClosed}}

func (d definition) wire(err error) engine.Wire { return d.Wire(err, ofNet...) }

// encode returns err as an error of Temporal, after which Temporal doesn't repeat the call.
func (d definition) encode(err error) error { return d.encodeFor(err, false) }

func (d definition) encodeFor(err error, again bool) error {
	return temporal.NewApplicationErrorWithOptions(engine.Text(err), wireType, temporal.ApplicationErrorOptions{
		NonRetryable: !again, Details: []any{d.wire(err)},
	})
}

// decode turns an error of Temporal back into the one that encode was given. Temporal's own errors about activities and runs get codes
// of package fault; those of the connection pass as they are.
func (d definition) decode(err error) error {
	if err == nil {
		return nil
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		var w engine.Wire
		if app.Type() == wireType && app.Details(&w) == nil {
			return d.Far(app.Message(), w, ofNet...)
		}
		return fault.Wrap(fault.InternalError, "the engine reports: "+app.Message(), err)
	}
	if _, ok := errors.AsType[*temporal.TerminatedError](err); ok { // the run, or a child workflow, was terminated
		return engine.ErrTerminated
	}
	if tooLarge(err) {
		return engine.Unstorable("the result", err)
	}
	if c, ok := errors.AsType[*temporal.CanceledError](err); ok {
		far := engine.FarError{Text: "Cancelled: the run was cancelled", Holds: []error{fault.New(fault.Cancelled, "")}}
		var text string
		var w engine.Wire
		if c.Details(&text, &w) == nil { // only errors of runs have these details, not those of bodies
			far = engine.FarError{Text: text, Holds: d.Means(w, ofNet...)}
		}
		far.Holds = append(far.Holds, context.Canceled)
		return &far
	}
	if _, ok := errors.AsType[*temporal.TimeoutError](err); ok {
		return fault.Wrap(fault.Timeout, "the engine has given a body up", err)
	}
	return err
}
