package step

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/op"
)

// Delay makes a step that passes its input on when d has passed, by the clock of the run's
// loop, which is virtual in tooltest. It needs no goroutine.
//
// Whatever leaves the step, such as a timeout or a cancel, ends the delay early and stops the timer.
// If d is zero the step only gives other callbacks of the loop a chance to run first. If d is below zero the plan can't be
// run.
//
//spec:ftn12 §1.3
func Delay[T any](d time.Duration) Step[T, T] { return op.Delay[T](d) }

// DelayBy is [Delay] for the time that the function by returns. by may use the value, the clock and the
// random numbers of the loop (as.Loop().Host()), or the number of the attempt (as.Attempt()). It runs on the
// loop of the run and must not block; a time below zero counts as zero. If by panics the step fails with
// InternalError. A nil by is reported as a nil body is for [Map].
//
//spec:ftn12 §1.3
func DelayBy[T any](by func(as Scope, in T) time.Duration) Step[T, T] {
	var wait func(*frame.Frame, T) time.Duration
	if by != nil {
		wait = func(f *frame.Frame, in T) time.Duration { return by(scopeOf(f), in) }
	}
	s := op.DelayBy(wait)
	s.Node().Calls(by)
	return s
}
