package temporal

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"

	"github.com/futoin-go/asyncsteps/durable/internal/engine"
)

// check returns an error if the converter of the client can't encode v, or if v is too large. what names v in the error.
//
// The SDK gives no access to the converter, but workflow.NewContinueAsNewError encodes an input with it. The call starts no
// workflow.
func (x *instance) check(what string, v reflect.Value) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = engine.Unstorable(what, fmt.Errorf("%v", p))
		}
	}()
	anew, ok := errors.AsType[*workflow.ContinueAsNewError](workflow.NewContinueAsNewError(x.ctx, x.Name, v.Interface()))
	if !ok {
		return nil
	}
	return engine.TooLarge(what, proto.Size(anew.Input))
}

// settle returns an error if the result of a body can't be stored, or is too large. If the SDK found this out, its error would make
// the server repeat the call. If settle sends a large result to the server itself, it returns ErrResultPending.
//
// If the default converter can't encode the result, settle tries the converter of the client, which may be another one.
func settle(ctx context.Context, out reflect.Value, plain bool) error {
	if plain && !engine.MayBeLarge(out) {
		return nil
	}
	payload, err := payloadOf(out)
	if err != nil {
		return encodable(ctx, out)
	}
	if err = engine.TooLarge("the result", proto.Size(payload)); err != nil && activity.GetInfo(ctx).Namespace != testNamespace {
		return complete(ctx, out, err)
	}
	return err
}

// payloadOf encodes out with the default converter. It returns a panic of a method of out as an error.
func payloadOf(out reflect.Value) (p *common.Payload, err error) {
	err = engine.Shielded(func() (err error) {
		p, err = converter.GetDefaultDataConverter().ToPayload(out.Interface())
		return err
	})
	return p, err
}

// testNamespace is the namespace of the SDK's environment for tests, which has no server.
const testNamespace = "default-test-namespace"

// encodable returns an error if the converter of the client can't encode out, the result of a body. The SDK gives no access to the
// converter, but encodes the details of a heartbeat with it.
func encodable(ctx context.Context, out reflect.Value) error {
	err := engine.Shielded(func() error {
		activity.RecordHeartbeat(ctx, out.Interface())
		return nil
	})
	if err != nil {
		return engine.Unstorable("the result", err)
	}
	return nil
}

// complete sends the result of a body to the server. It returns ErrResultPending if the server has taken the result, and the error
// large if the result was too large. Any other error becomes a *lost, after which the body is called again.
func complete(ctx context.Context, out reflect.Value, large error) error {
	err := activity.GetClient(ctx).CompleteActivity(ctx, activity.GetInfo(ctx).TaskToken, out.Interface(), nil)
	switch {
	case err == nil:
		return activity.ErrResultPending
	case tooLarge(err):
		return large
	default:
		return &lost{err}
	}
}

// lost is the error for a result of a body that hasn't reached the server.
type lost struct{ error }

// tooLarge reports whether err means that a message is too large for the server, or for the connection to it.
func tooLarge(err error) bool {
	return err != nil && slices.ContainsFunc([]string{"larger than max", "exceeds size limit", "size exceeds limit"},
		func(text string) bool { return strings.Contains(err.Error(), text) })
}

// refusal returns err, or an ErrUnstorable if err means that the client or the server can't store a value. what names the value in
// the error.
func refusal(what string, err error) error {
	if err != nil && (tooLarge(err) || errors.Is(err, converter.ErrUnableToEncode)) {
		return engine.Unstorable(what, err)
	}
	return err
}
