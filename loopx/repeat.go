package loopx

import (
	"strconv"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plan"
	"github.com/futoin-go/asyncsteps/step"
)

// Iteration is the input of one iteration of [Repeat].
type Iteration[T any] struct {
	Index int // number of the iteration, from 0
	Carry T   // the value carried from the iteration before; for the first, the input of the loop
}

// Repeat runs body count times. The first iteration carries the input of the loop. With a
// count of zero the result is the input of the loop.
//
// Errors, cancellation, concurrency and allocation are those of [Loop]. A negative count and a
// nil body are reported by flow.Plan.Err.
//
//spec:ftn12 §2.2.4 repeat
func Repeat[T any](count int, body step.Step[Iteration[T], T]) flow.Plan[T, T] {
	l := build[counter[T], T]("repeat", body, "Repeat: the body is nil", counter[T]{count: count})
	l.Stage().Node().Tell(func() []plan.Parameter { return []plan.Parameter{plan.Set("count", count)} })
	if count < 0 {
		l.Stage().Node().Reject("Repeat: the count must not be negative, got " + strconv.Itoa(count))
	}
	return l
}

type counter[T any] struct{ count, next int }

func (c *counter[T]) Open(in T) T {
	c.next = 0
	return in
}

func (c *counter[T]) Next(carry T, turn *Iteration[T]) bool {
	if c.next == c.count {
		return false
	}
	*turn = Iteration[T]{c.next, carry}
	c.next++
	return true
}
