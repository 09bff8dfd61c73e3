package step

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/frame"
	"github.com/futoin-go/asyncsteps/internal/op"
)

// Delay makes a step that passes its input on when d has passed, by the clock of the run's
// loop, which is virtual in tooltest. No goroutine waits.
//
// A timeout, a cancel or the error of a sibling ends the delay early and stops the timer. With
// d zero the step only lets others on the loop go first; with d below zero the plan can't be
// run. The step allocates nothing.
//
//spec:ftn12 §1.3
func Delay[T any](d time.Duration) Step[T, T] { return op.Delay[T](d) }

// DelayBy is [Delay] for the time that the function by returns, which may depend on the value, the clock and
// random numbers of the loop (as.Loop().Host()), or the number of the attempt (as.Attempt()). by runs on the
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
