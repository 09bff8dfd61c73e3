package flow

import (
	"context"
	"strconv"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// An Attempt tells which attempt of a retry has handed out a value of [RunningOutput.All]. The zero
// Attempt stands for no attempt: the value comes from outside of every retry. Compare by [Attempt.Replaces], not by ==.
//
// It may be kept after the run, and used by any goroutine.
type Attempt struct{ of *op.Attempt }

func attemptOf(ctx context.Context) Attempt { return Attempt{op.AttemptOf(ctx)} }

// Number returns the number of the attempt of the nearest retry around the step, from 1; 0 without one.
func (a Attempt) Number() int { return a.of.N() }

// Replaces reports whether the values of earlier are void because of a. They are if a retry is around
// both, and a belongs to a later attempt of it. Values of other retries, such as one before it or one in
// another branch, stay valid.
func (a Attempt) Replaces(earlier Attempt) bool { return a.of.Replaces(earlier.of) }

// Final reports whether the values of a can't be replaced any more, because the retries around them have ended,
// or because there is none.
func (a Attempt) Final() bool { return a.of.Final() }

// String returns the number.
func (a Attempt) String() string { return strconv.Itoa(a.Number()) }
