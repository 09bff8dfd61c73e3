package plantest

import (
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Add returns a step that adds n to its input.
func Add(n int) step.Step[int, int] {
	return step.Map(func(in int) int { return in + n })
}

// Fail returns a step that fails with err, or succeeds with the zero value if err is nil.
func Fail[In, Out any](err error) step.Step[In, Out] {
	return step.Func(func(step.Scope, In) (out Out, _ error) { return out, err })
}

// Never returns a step that waits until something cancels it.
func Never[In, Out any]() step.Step[In, Out] {
	return step.New(func(as step.Scope, _ In) step.Next[Out] { return step.Wait[Out](as, nil) })
}

// Named returns a step with the given name. The step fails with err, or succeeds if err is nil.
func Named(name string, err error) step.Step[step.Unit, step.Unit] {
	return flow.Named(name, Fail[step.Unit, step.Unit](err))
}

// Delay returns a step with the given name. The step waits until d has passed.
func Delay(name string, d time.Duration) step.Step[step.Unit, step.Unit] {
	return flow.Named(name, step.New(func(as step.Scope, _ step.Unit) step.Next[step.Unit] {
		return step.Wait(as, func(done step.Done[step.Unit]) {
			timer, _ := as.Loop().Deferred(d, func() { done.Succeed(step.Unit{}) })
			as.SetCancel(func() { as.Loop().Cancel(timer) })
		})
	}))
}

// Ints returns the numbers 0, 1, … n-1.
func Ints(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
