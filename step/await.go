package step

import (
	"context"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/seam"
	"github.com/futoin-go/asyncsteps/tool"
)

// Await makes a step of ordinary blocking Go code: body runs on a goroutine of
// its own, while the loop goes on with other steps.
//
// ctx carries the values of the run's context and is cancelled when the step is
// – by a timeout, a cancel of the run, a failed sibling – with the reason as
// its cause; body should return soon then, its result is dropped. Its
// Deadline is that of Scope.Context (C8). The step
// ends when body has returned, or when the grace of the loop has passed since the
// cancel, tool.DefaultGrace unless Options.Grace of the loop says otherwise: a
// goroutine that ignores its context is then left behind and reported, to the error
// handler of the loop and in Secondary of the run's error (C7). [AwaitGrace] sets
// the grace of one step.
//
// A loop may take body instead, and have it done elsewhere: see tool.WithWork. One that is
// deterministic and doesn't fails the step with InternalError.
//
// body must not use a Scope. An error fails the step, a panic or
// runtime.Goexit fails it with InternalError. A nil body is reported as that of
// [Map]. FTN12 §1.13, §2.2.1 await.
func Await[In, Out any](body func(ctx context.Context, in In) (Out, error)) Step[In, Out] {
	return await(0, body)
}

// AwaitGrace is [Await] with a grace of its own, whatever that of the loop is: how
// long the step waits for body to return after it was told to stop. Give a body more that
// needs time to put things in order, less if nothing depends on its end. Below
// zero the step waits as long as it takes: then nothing is ever left behind, but a body that
// ignores its context holds the run, and the shutdown of its loop, for ever.
// Zero stands for the grace of the loop, as with Await. The time is that of the loop's clock,
// which is virtual in tooltest; it counts from the moment that body is told.
//
// A limit around the step doesn't shorten its grace. All else is as for Await. FTN12
// §1.13, §2.2.1 await.
func AwaitGrace[In, Out any](grace time.Duration, body func(ctx context.Context, in In) (Out, error)) Step[In, Out] {
	s := await(grace, body)
	s.Stage().Node().Relabel("await", "step.AwaitGrace: the body is nil")
	return s
}

func await[In, Out any](grace time.Duration, body func(context.Context, In) (Out, error)) Step[In, Out] {
	work := seam.BodyOf(body)
	return op("await", body == nil, func(in seam.Cell[In], out seam.Cell[Out], e *seam.Emitter) frame.Op {
		return &awaitOp[In, Out]{in: in, out: out, grace: grace, body: body, work: work, slot: seam.State[seam.Wait[Out]](e)}
	})
}

type awaitOp[In, Out any] struct {
	in    seam.Cell[In]
	out   seam.Cell[Out]
	grace time.Duration
	body  func(context.Context, In) (Out, error)
	work  *tool.Body // the same, for a loop that takes it
	slot  seam.Cell[seam.Wait[Out]]
}

// Body is what the loop may take.
func (o *awaitOp[In, Out]) Body() *tool.Body { return o.work }

func (o *awaitOp[In, Out]) Exec(f *frame.Frame) frame.Verdict {
	switch host := f.Run().Tool().Host(); {
	case host.TakesWork() && seam.Offer(f, o.slot.At(f), o.work, o.grace, *o.in.At(f)):
		return frame.Waiting
	case host.Deterministic():
		return f.Fail(f.Violation("needs a goroutine, which a deterministic loop doesn't have"))
	}
	ctx, cancel := context.WithCancelCause(f.Outer())
	slot := o.slot.At(f)
	gen := slot.Hire(f, cancel, o.grace)
	// The goroutine may outlive the step: it gets copies, and the slot knows
	// late completions by their number.
	go serve(ctx, cancel, o.body, *o.in.At(f), slot, gen)
	return frame.Waiting
}

func serve[In, Out any](
	ctx context.Context, cancel context.CancelCauseFunc,
	body func(context.Context, In) (Out, error), in In,
	slot *seam.Wait[Out], gen uint64,
) {
	var v Out
	var err error
	frame.Protect(func() { v, err = body(ctx, in) }, func(broken error) {
		switch {
		case broken != nil:
			slot.Fail(gen, fault.Wrap(fault.InternalError, "the goroutine of an await step broke off", broken))
		case err != nil:
			slot.Fail(gen, err)
		default:
			slot.Succeed(gen, v)
		}
		slot.Finish(gen)
		cancel(nil)
	})
}

func (o *awaitOp[In, Out]) Resume(f *frame.Frame) frame.Verdict {
	return o.slot.At(f).Take(f, o.out.At(f))
}

func (o *awaitOp[In, Out]) Handle(*frame.Frame, error) frame.Verdict { return frame.Unhandled }

func (o *awaitOp[In, Out]) Loops(*frame.Signal) bool { return false }
