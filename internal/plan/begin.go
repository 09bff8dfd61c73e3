package plan

import (
	"context"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// ready returns the first activation of a run of s with the input in, and completes c, whose
// Context is set: by the context of the run and its watch. bare reports that this context is
// context.Background, which never ends. Panics of the context and of the observers are reported
// to host; if it is nil they are logged.
func (s *Stage[In, Out]) ready(c *frame.Config, host *tool.Host, in In) (inst *frame.Activation, bare bool, err error) {
	if inst, err = s.Root(in); err != nil {
		return nil, false, err
	}
	if c.Context == context.Background() && !observing.Load() { // nobody is to be asked
		return inst, true, nil
	}
	if c.Context, c.Watch, err = admit(c.Context, host, s.node); err != nil {
		inst.Release()
		return nil, false, err
	}
	return inst, false, nil
}

// admit returns an error if a run of n can't begin under ctx. Otherwise it asks the Observer
// of ctx, if any, for the context of the run, under which the run must be able to begin too.
func admit(ctx context.Context, host *tool.Host, n *Node) (context.Context, frame.Watch, error) {
	if err := refused(ctx); err != nil || !observing.Load() {
		return ctx, nil, err
	}
	if host == nil {
		host = frame.Nobody
	}
	o, ok := frame.ValueOf(ctx, host, observerKey{}).(Observer)
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

// Guarded returns ctx, or a context that calls ctx and catches its panics.
func Guarded(ctx context.Context, t tool.Tool) context.Context { return frame.Guard(ctx, t.Host()) }

// Calm is a context that the machine has made: see [frame.Calm].
type Calm = frame.Calm

// refused returns the error of a run whose context has ended before it began.
func refused(ctx context.Context) error {
	if ctx == nil {
		return fault.New(fault.InvalidRequest, "the context is nil")
	}
	switch end := frame.EndOf(ctx); {
	case end.Cause == nil || end.Broken:
		return end.Cause
	case end.Late:
		return fault.Wrap(fault.Timeout, "the context's deadline had passed before the run began", end.Cause)
	default:
		return fault.Wrap(fault.Cancelled, "the context was cancelled before the run began", end.Cause)
	}
}
