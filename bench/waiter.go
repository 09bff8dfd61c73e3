package bench

import "github.com/futoin-go/asyncsteps/step"

// Waiter makes steps wait, one at a time. Its functions are made once, and not in the loop of a benchmark.
type Waiter struct {
	done     step.Done[int]
	v        int
	complete func()
	keep     func(done step.Done[int])
}

// NewWaiter makes a Waiter.
func NewWaiter() *Waiter {
	w := new(Waiter)
	w.complete = func() { w.done.Succeed(w.v + 1) }
	w.keep = func(done step.Done[int]) { w.done = done }
	return w
}

// Wait suspends a step until the next turn of its loop, which completes it with v+1.
func (w *Waiter) Wait(as step.Scope, v int) step.Next[int] {
	w.v = v
	if _, err := as.Loop().Immediate(w.complete); err != nil {
		return step.Fail[int](err)
	}
	return step.Wait(as, w.keep)
}
