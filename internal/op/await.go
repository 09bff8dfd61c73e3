package op

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/reserve"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/tool"
)

// Await returns a step whose body is called on another goroutine. grace is how long the body may take
// to return when it is told to stop; zero stands for the grace around the step, and below zero there is
// no limit. A loop that takes work may take over the body.
func Await[In, Out any](grace time.Duration, body func(context.Context, In) (Out, error)) *plan.Stage[In, Out] {
	work := BodyOf(body)
	call := func(ctx context.Context, _ context.CancelCauseFunc, in In) (Out, error) { return body(ctx, in) }
	return One("await", body, func(in plan.Cell[In], out plan.Cell[Out], e *plan.Emitter) frame.Op {
		return &await[In, Out]{in: in, out: out, grace: grace, body: call, work: work, slot: plan.State[Wait[Out]](e)}
	})
}

// Lasting is the body of an [AwaitLasting]. ctx doesn't end when the body returns, but when cancel is called. It also ends
// if the body panics or calls runtime.Goexit, and if the step is left while the body runs.
type Lasting[In, Out any] func(ctx context.Context, cancel context.CancelCauseFunc, in In) (Out, error)

// AwaitLasting is Await with the grace around the step, for a body whose context may last longer than the step. within
// returns the parent of that context. It is given the context around the step and that of the run. No loop takes over the
// body.
func AwaitLasting[In, Out any](within func(step, run context.Context) context.Context, body Lasting[In, Out]) *plan.Stage[In, Out] {
	return One("await", body, func(in plan.Cell[In], out plan.Cell[Out], e *plan.Emitter) frame.Op {
		return &await[In, Out]{in: in, out: out, body: body, within: within, slot: plan.State[Wait[Out]](e)}
	})
}

type await[In, Out any] struct {
	in     plan.Cell[In]
	out    plan.Cell[Out]
	grace  time.Duration
	body   Lasting[In, Out]
	work   *tool.Body                                      // body as work that a loop may take over; nil for an AwaitLasting
	within func(step, run context.Context) context.Context // nil except for an AwaitLasting
	slot   plan.Cell[Wait[Out]]
	depth  reserve.Depth // how large a stack body needs
}

func (o *await[In, Out]) Body() *tool.Body { return o.work }

func (o *await[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	switch host := f.Run().Host(); {
	case o.work != nil && host.TakesWork() && Offer(f, o.slot.At(f), o.work, o.grace, *o.in.At(f)):
		return frame.Waiting
	case host.Deterministic():
		return f.Fail(f.Violation("needs a goroutine, which a deterministic loop doesn't have"))
	}
	ctx := f.Outer()
	if o.within != nil {
		ctx = o.within(ctx, f.Run().Context())
	}
	ctx, cancel := context.WithCancelCause(ctx)
	slot := o.slot.At(f)
	gen := slot.Hire(f, cancel, o.grace)
	// The goroutine may outlive the step: so it gets copies, and gen, by which the slot recognises
	// a late completion.
	in, host := *o.in.At(f), f.Run().Host()
	f.Run().Reserve().Go(&o.depth, func() { o.serve(ctx, cancel, in, slot, gen, host) })
	return frame.Waiting
}

func (o *await[In, Out]) serve(
	ctx context.Context, cancel context.CancelCauseFunc, in In,
	slot *Wait[Out], gen uint64, host *tool.Host,
) {
	var v Out
	var err error
	usercode.Protect(func() { v, err = o.body(ctx, cancel, in) }, func(broken error) {
		if o.within == nil || broken != nil {
			defer cancel(nil)
		}
		switch {
		case broken != nil:
			broken = Broken("the body", broken)
			if !slot.Fail(gen, broken) && !slot.FinishBroken(gen, broken) {
				defer host.Report(broken) // the error handler may end the goroutine: cancel is called even then
				return
			}
		case err != nil:
			slot.Fail(gen, err)
		default:
			slot.Succeed(gen, v)
		}
		slot.Finish(gen)
	})
}

// Broken returns the error of a user function that didn't return. Its info begins with subject, such as "the body". cause is
// the panic or usercode.ErrGoexit, see [usercode.Protect].
func Broken(subject string, cause error) error {
	if _, panicked := fault.AsType[*fault.Panic](cause); panicked {
		return fault.Wrap(fault.InternalError, subject+" panicked", cause)
	}
	return fault.Wrap(fault.InternalError, subject+" ended its goroutine", cause)
}

func (o *await[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	return o.slot.At(f).Take(f, o.out.At(f))
}

func (o *await[In, Out]) Handle(*frame.Frame, error) frame.Verdict { return frame.Unhandled }

func (o *await[In, Out]) Loops(*frame.Jump) bool { return false }
