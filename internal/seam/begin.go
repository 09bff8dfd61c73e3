package seam

import (
	"context"
	"errors"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
)

// ready gives what a run of s on in begins with.
func (s *Stage[In, Out]) ready(ctx context.Context, in In) (context.Context, frame.Watch, *frame.Instance, error) {
	inst, err := s.Root(in)
	if err != nil {
		return ctx, nil, nil, err
	}
	ctx, watch, err := admit(ctx, s.node)
	if err != nil {
		inst.Release()
		return ctx, nil, nil, err
	}
	return ctx, watch, inst, nil
}

// admit says why a run of n can't begin under ctx, if so; otherwise it asks the
// Observer of ctx, if any, for the run's context, under which the run must be
// able to begin too.
func admit(ctx context.Context, n *Node) (context.Context, frame.Watch, error) {
	if err := refused(ctx); err != nil || !observing.Load() {
		return ctx, nil, err
	}
	o, ok := ctx.Value(observerKey{}).(Observer)
	if !ok {
		return ctx, nil, nil
	}
	ctx, watch := o(ctx, n)
	err := refused(ctx)
	if err != nil {
		frame.Refused(watch, err)
	}
	return ctx, watch, err
}

// refused is the error of a run whose context has ended before it began.
func refused(ctx context.Context) error {
	if ctx == nil {
		return fault.New(fault.InvalidRequest, "the context is nil")
	}
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(fault.Timeout, "the context's deadline had passed before the run began", context.Cause(ctx))
	default:
		return fault.Wrap(fault.Cancelled, "the context was cancelled before the run began", context.Cause(ctx))
	}
}
