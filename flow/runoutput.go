package flow

import (
	"context"
	"iter"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/internal/usercode"
	"github.com/futoin-go/asyncsteps/step"
)

// errLeft is the cause with which a run is cancelled when its caller wants no more values.
var errLeft = fault.New(fault.Cancelled, "the range over the values of the run was left")

// RunningOutput is a run that hands out values; see [RunOutput]. Its methods may be called by one goroutine at
// a time, and not by a step.
type RunningOutput[T, Out any] struct {
	begin func(ctx context.Context) *plan.Private[Out]
	ctx   context.Context // as given to RunOutput
	key   *outputKey
	run   *plan.Private[Out] // nil until the run begins
}

// RunOutput is [Run] for a caller that also takes the values that steps hand out by o while the
// run goes on:
//
//	answer := flow.RunOutput(ctx, tokens, ask, question)
//	for token := range answer.All() {
//		fmt.Print(token)
//	}
//	text, err := answer.Result()
//
// Nothing runs until [RunningOutput.All] is ranged over, or [RunningOutput.Result] is called. Both drive the
// run on the calling goroutine, on a private loop as Run does. While the body of the range executes, steps on
// that loop don't go on: a slow caller slows the run down, while limits go on counting. With the zero Output
// the run hands out nothing.
//
// A step of the run may begin a load of package share for which other runs still wait when the run ends: the load then
// begins again on the loop of one of those runs. If a body that runs on the loop, or the body of the range, calls
// runtime.Goexit, the calling goroutine ends when the run has been left.
//
//spec:ftn12 §2.2.1 newInstance, §2.2.3 execute
func RunOutput[T, In, Out any](ctx context.Context, o Output[T], s step.Step[In, Out], in In) *RunningOutput[T, Out] {
	return &RunningOutput[T, Out]{
		ctx: ctx,
		key: o.key,
		begin: func(ctx context.Context) *plan.Private[Out] {
			return plan.StartPrivate(ctx, given(s, "RunOutput: the stage is nil, or the zero Plan"), in)
		},
	}
}

// All runs the plan and yields each value that it hands out, with the attempt of a retry that the
// value comes from. When an attempt fails and another one follows, the values of the failed one aren't
// taken back: [Attempt.Replaces] tells the caller which values are void.
//
// The range ends when the run has ended. Once the context of the run has ended there are no more values: what steps that
// still run hand out, such as those of an [Undo], is dropped. If the caller leaves the range earlier, by break, return or a
// panic, the run is cancelled, and the caller goes on when the run has ended. [RunningOutput.Result] then
// returns how it has ended. Only the first range over All yields values, and none does after a call of Result.
func (r *RunningOutput[T, Out]) All() iter.Seq2[T, Attempt] {
	return func(yield func(T, Attempt) bool) {
		if r.run == nil {
			r.drive(yield)
		}
	}
}

// Result returns the result of the run. If All wasn't ranged over, Result runs the plan to its end and drops
// what it hands out. Within the range the error of Result is [ErrRunning].
func (r *RunningOutput[T, Out]) Result() (Out, error) {
	if r.run == nil {
		r.drive(nil)
	}
	out, err, over := r.run.Result()
	if !over {
		return out, ErrRunning
	}
	return out, err
}

// drive runs the plan to its end. If yield returns false, drive cancels the run. With a nil yield the values are dropped.
func (r *RunningOutput[T, Out]) drive(yield func(T, Attempt) bool) {
	to := &outlet[T]{closed: yield == nil, wake: func() { r.run.Wake() }}
	ctx := r.ctx
	if ctx != nil && r.key != nil {
		ctx = context.WithValue(ctx, r.key, to)
	}
	r.run = r.begin(ctx)
	defer r.run.Leave(errLeft) // also if the caller panics or ends the goroutine
	defer to.close()
	defer r.run.Dismiss(errLeft) // before close, so that steps which are left withdraw their values
	var x *emitted[T]
	for r.run.Drive(func() bool {
		if _, _, over := r.run.Result(); over {
			return false
		}
		if end := usercode.EndOf(ctx); end.Cause != nil && !end.Broken { // after a panic of ctx, the run deals with it itself
			r.run.Stop(end)
			return true
		}
		x = to.take()
		return x != nil
	}) {
		if x == nil { // ctx has ended
			return
		}
		more := yield(x.value, x.attempt)
		x.taken()
		if x = nil; !more {
			return
		}
	}
}
