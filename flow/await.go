package flow

import (
	"context"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/step"
)

// ErrClosed is the error of a step of [AwaitChan] if its channel was closed
// without a value.
var ErrClosed = fault.New(fault.CommError, "the channel was closed without a value")

var errNoRun = fault.New(fault.InternalError, "AwaitRun: the start function returned no run")

// AwaitChan waits for one value from the channel that source returns. source is called on a goroutine of the step,
// and may block until ctx ends. The step is cancelled like a step.Await: a value that the goroutine receives at that
// moment may be lost. With stream.Chan instead, a Catch of the stream gets such a value. A nil source is reported by
// Plan.Err. If source returns a nil channel, the step waits until it is left.
//
//spec:ftn12 §1.13, §2.2.1 await
func AwaitChan[In, T any](source func(ctx context.Context, in In) <-chan T) Plan[In, T] {
	var body func(context.Context, In) (T, error)
	if source != nil {
		body = func(ctx context.Context, in In) (v T, err error) {
			select {
			case v, ok := <-source(ctx, in):
				if !ok {
					return v, ErrClosed
				}
				return v, nil
			case <-ctx.Done():
				return v, context.Cause(ctx)
			}
		}
	}
	s := step.Await(body)
	n := s.Stage().Node()
	n.Relabel("awaitchan", "AwaitChan: the source is nil")
	n.Calls(source)
	return Of(s)
}

// AwaitRun starts another run and waits for its result, without a goroutine. The other run may
// live on another loop. If the step is left, for example because of a limit or a cancel, the other run
// is cancelled with the same cause, and the step doesn't wait for that run to end. start is called on the
// loop of this run, with the context of the step. If start returns nil the step fails with InternalError.
// A nil start is reported by Plan.Err.
//
//spec:ftn12 §1.13, §2.2.1 await
func AwaitRun[In, T any](start func(ctx context.Context, in In) *Running[T]) Plan[In, T] {
	var body func(step.Scope, In) step.Next[T]
	if start != nil {
		body = func(as step.Scope, in In) step.Next[T] {
			ctx := as.Context()
			other := start(ctx, in)
			if other == nil {
				return step.Fail[T](errNoRun)
			}
			as.SetCancel(func() { other.Cancel(context.Cause(ctx)) })
			return step.Wait(as, func(done step.Done[T]) {
				other.Then(func(v T, err error) {
					if err != nil {
						done.Fail(err)
					} else {
						done.Succeed(v)
					}
				})
			})
		}
	}
	s := step.New(body)
	n := s.Stage().Node()
	n.Relabel("awaitrun", "AwaitRun: the start function is nil")
	n.Calls(start)
	return Of(s)
}
