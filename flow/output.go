package flow

import (
	"context"

	"github.com/futoin-go/asyncsteps/step"
)

// Output hands out values of a run before the run ends: tokens of an answer, rows, progress. Steps
// hand them out by [Output.Emit] and [Output.Send], and the caller of [RunOutput] gets them. Without
// such a caller the values are dropped. Parts of the plan that run elsewhere, by [On] or in a load that
// the run has begun, hand out values to the same caller, and so do runs with the context of a step.
//
// Make an Output once, in a package variable. It holds nothing of a run: any number of runs may use it, from any
// goroutine. The zero Output hands out nothing.
type Output[T any] struct{ key *outputKey }

// outputKey identifies an Output, and is the key of its outlet in contexts.
type outputKey struct{ name string }

// NewOutput makes an output. The steps that its method Emit returns have the given name, see [Named]. Two outputs with the
// same name are different outputs.
func NewOutput[T any](name string) Output[T] { return Output[T]{&outputKey{name}} }

// Emit returns a step that hands out its input and passes it on. The step waits, without a goroutine,
// until the caller of the run has taken the value and comes back for the next one. A value that the
// caller hasn't taken when the step is left is dropped.
//
//spec:ftn12 §1.3, §2.2.2 waitExternal
func (o Output[T]) Emit() Plan[T, T] {
	s := step.New(func(as step.Scope, v T) step.Next[T] {
		ctx := as.Context()
		to := o.outlet(ctx)
		if to == nil {
			return step.Succeed(v)
		}
		return step.Wait(as, func(done step.Done[T]) {
			x := &emitted[T]{value: v, attempt: attemptOf(ctx), taken: func() { done.Succeed(v) }}
			as.SetCancel(func() { to.withdraw(x) })
			to.put(x)
		})
	})
	n := s.Stage().Node()
	n.Relabel("emit", "")
	n.Code = 0 // the function above is not the user's
	if o.key != nil {
		return Named(o.key.name, s)
	}
	return Of(s)
}

// Send hands out v from the body of a step.Await; ctx is the context of that body. Send blocks until the caller of
// the run has taken v and comes back for the next value, and then returns nil. If ctx ends before v was taken,
// Send returns the cause of ctx. In a run that drops its values Send doesn't block: it returns nil, or the cause
// of ctx if ctx has ended. Bodies that run on a loop, such as those of step.Func and step.New, must not block: use
// a step of [Output.Emit] there.
//
//spec:ftn12 §1.13
func (o Output[T]) Send(ctx context.Context, v T) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	to := o.outlet(ctx)
	if to == nil {
		return nil
	}
	x := to.blank()
	x.value, x.attempt = v, attemptOf(ctx)
	to.put(x)
	select {
	case <-x.back:
		dropped := to.isDropped(x)
		to.reuse(x)
		if dropped {
			return context.Cause(ctx)
		}
		return nil
	case <-ctx.Done():
		if to.withdraw(x) {
			to.reuse(x)
			return context.Cause(ctx)
		}
		if to.isDropped(x) { // its token comes later, as does that of a value that was taken, so x can't be reused here
			return context.Cause(ctx)
		}
		return nil
	}
}

// outlet returns the outlet of the run of RunOutput that ctx belongs to, nil if there is none.
func (o Output[T]) outlet(ctx context.Context) *outlet[T] {
	if o.key == nil {
		return nil
	}
	to, _ := ctx.Value(o.key).(*outlet[T])
	return to
}
