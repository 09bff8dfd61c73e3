package seam

import (
	"context"
	"errors"
	"sync"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/tool"
)

// solos holds the loops of runs that are driven by their caller. A run takes
// one only when it waits for something.
var solos = sync.Pool{New: func() any { return tool.NewManual(tool.Options{}) }}

// solo takes a loop, on whose goroutine the caller already is.
func solo() tool.Tool {
	m := solos.Get().(*tool.Manual)
	m.Enter()
	return m
}

// Run executes s on the caller's goroutine and gives its result.
func Run[In, Out any](ctx context.Context, s *Stage[In, Out], in In) (out Out, err error) {
	inst, err := s.Acquire()
	if err != nil {
		return out, err
	}
	if err := refused(ctx); err != nil {
		inst.Release()
		return out, err
	}
	inst.In.V = in
	r := frame.NewRun(&inst.Instance, frame.Config{Context: ctx, Spare: solo})
	returned := false
	defer func() {
		if !returned { // a body ended this goroutine: unwind what can be
			r.Cancel(errors.New("the goroutine of the run has ended"))
			r.Turn()
		}
	}()
	drive(ctx, r)
	returned = true
	if err = r.Result(); err == nil {
		out = inst.Out.V
	}
	r.Recycle()
	return out, err
}

// drive lets r go on until it has ended.
func drive(ctx context.Context, r *frame.Run) {
	stopped := false // what remains is the unwinding: ctx no longer counts
	var loop *tool.Manual
	for r.Turn(); !r.Over(); {
		if !stopped && ctx.Err() != nil {
			stopped = true
			Stop(ctx, r)
		}
		if r.Yielded() || loop == nil && !r.Looped() {
			r.Turn()
			continue
		}
		if loop == nil {
			loop = r.Tool().(*tool.Manual)
			loop.Leave() // to be taken again by each Iterate
		}
		if loop.Iterate() {
			continue
		}
		wait := ctx
		if stopped {
			wait = context.Background()
		}
		_ = loop.Wait(wait) // an ended ctx is looked at above
	}
	if loop == nil && r.Looped() {
		loop = r.Tool().(*tool.Manual)
		loop.Leave()
	}
	if loop != nil && loop.Reset() == nil {
		solos.Put(loop)
	}
}

// Stop cancels r because of ctx: a deadline that has passed is a timeout.
func Stop(ctx context.Context, r *frame.Run) {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		r.Expire(context.Cause(ctx))
		return
	}
	r.Cancel(context.Cause(ctx))
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
