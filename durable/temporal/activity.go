package temporal

import (
	"context"
	"errors"
	"reflect"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
	"github.com/futoin-go/asyncsteps/tool"
)

// activity returns the function that Temporal calls for a body.
func (d definition) activity(k engine.Known) any {
	body := k.Body
	errorType := reflect.TypeFor[error]()
	typ := reflect.FuncOf(
		[]reflect.Type{reflect.TypeFor[context.Context](), body.In},
		[]reflect.Type{body.Out, errorType}, false)
	plain, again := engine.Plain(body.Out), d.steps[k.Place.Name].retries()
	return reflect.MakeFunc(typ, func(args []reflect.Value) []reflect.Value {
		ctx, _ := reflect.TypeAssert[context.Context](args[0])
		info := activity.GetInfo(ctx)
		out := reflect.Zero(body.Out)
		var err error
		if call, of := engine.ParseCall(info.ActivityID); of == k.Version {
			out, err = d.perform(engine.WithKey(ctx, info.WorkflowExecution.ID+call), body, args[1], again)
			if err == nil {
				err = d.settled(settle(ctx, out, plain))
			}
		} else {
			err = otherVersion(k, of, info.Attempt)
		}
		failure := reflect.New(errorType).Elem()
		if err != nil {
			failure.Set(reflect.ValueOf(err))
			out = reflect.Zero(body.Out) // the SDK encodes the result even if there is an error
		}
		return []reflect.Value{out, failure}
	}).Interface()
}

// settled encodes the error of settle for Temporal. It returns ErrResultPending unchanged, and also a *lost, after which Temporal
// repeats the call.
func (d definition) settled(err error) error {
	if _, again := errors.AsType[*lost](err); err == nil || again || errors.Is(err, activity.ErrResultPending) {
		return err
	}
	return d.encode(err)
}

// otherVersion returns the error with which a worker refuses the call of a body. Temporal repeats the call, so that a worker with
// that version may take it. The pause grows with the number of attempts, up to ten seconds.
func otherVersion(k engine.Known, of string, attempt int32) error {
	return temporal.NewApplicationErrorWithOptions(k.Refusal(of), "OtherVersion",
		temporal.ApplicationErrorOptions{NextRetryDelay: time.Duration(min(attempt, 10)) * time.Second})
}

// perform calls body, and sends heartbeats to Temporal meanwhile. With again, Temporal repeats the call after an error of body.
func (d definition) perform(ctx context.Context, body *tool.Body, in reflect.Value, again bool) (reflect.Value, error) {
	given := ctx
	ctx, done := context.WithCancel(given)
	every := max(activity.GetInfo(ctx).HeartbeatTimeout/4, 100*time.Millisecond)
	beats := make(chan struct{})
	first := time.AfterFunc(every, func() {
		defer close(beats)
		beat(ctx, every)
	})
	var out reflect.Value
	var err, cause error
	ended := make(chan struct{})
	engine.Call(ctx, body, in, func(o reflect.Value, e error) {
		out, err, cause = o, e, context.Cause(given) // read first, because the context may end at any time
		close(ended)
	})
	<-ended // even if body has called runtime.Goexit: Temporal needs an answer
	done()
	if !first.Stop() {
		<-beats
	}
	if !out.IsValid() {
		out = reflect.Zero(body.Out)
	}
	switch {
	case err == nil:
		return out, nil
	case cause != nil && !temporal.IsCanceledError(cause):
		// The engine, and not the plan, has ended the context, for example because heartbeats weren't answered, or because the
		// worker shuts down. The error may be caused by that end, so Temporal repeats the call instead of giving the plan
		// the error.
		return out, temporal.NewApplicationError("the context of the body has ended: "+cause.Error(), "ContextEnded", engine.Text(err))
	case cause != nil && (errors.Is(err, context.Canceled) || temporal.IsCanceledError(err)):
		return out, temporal.NewCanceledError()
	default:
		return out, d.encodeFor(err, again)
	}
}

// beat sends heartbeats to Temporal until ctx ends. The answer to a heartbeat tells whether the call was cancelled.
func beat(ctx context.Context, every time.Duration) {
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for ctx.Err() == nil {
		activity.RecordHeartbeat(ctx)
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
}
