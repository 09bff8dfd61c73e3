package plan

import (
	"context"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/private"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// unasked reports whether a run can begin under ctx without a call of admit: ctx is context.Background, which never ends,
// and no context has an Observer yet.
func unasked(ctx context.Context) bool { return ctx == context.Background() && !observing.Load() }

// admit returns the context and the watch of a run of n under ctx. If ctx has an Observer, the Observer makes both; otherwise
// they are ctx and nil. admit returns an error if the run can't begin under ctx, or under the context that the Observer made.
func admit(ctx context.Context, host *tool.Host, n *Node) (context.Context, frame.Watch, error) {
	if err := refused(ctx); err != nil || !observing.Load() {
		return ctx, nil, err
	}
	if host == nil {
		host, _ = private.Host(ctx)
	}
	o, ok := usercode.ValueOf(ctx, host, observerKey{}).(Observer)
	if !ok {
		return ctx, nil, nil
	}
	ctx, watch := o(ctx, host, n)
	err := refused(ctx)
	if err != nil {
		frame.Refused(host, watch, err)
	}
	return ctx, watch, err
}

// refused returns the error of a run under ctx if ctx is nil, has ended already, or panics when it is asked whether it has.
// It returns nil if the run can begin.
func refused(ctx context.Context) error {
	if ctx == nil {
		return fault.New(fault.InvalidRequest, "the context is nil")
	}
	switch end := usercode.EndOf(ctx); {
	case end.Cause == nil || end.Broken:
		return end.Cause
	case end.Late:
		return fault.Wrap(fault.Timeout, "the context's deadline had passed before the run began", end.Cause)
	default:
		return fault.Wrap(fault.Cancelled, "the context was cancelled before the run began", end.Cause)
	}
}
