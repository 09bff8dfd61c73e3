package flow

import (
	"context"
	"strconv"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// An Attempt identifies the attempt of a retry in which a step handed out a value of [RunningOutput.All]. The zero
// Attempt stands for no attempt: the step was in no retry. Compare Attempts by [Attempt.Same] and [Attempt.Replaces], not by ==.
//
// An Attempt may be kept after the run, and used by any goroutine.
type Attempt struct{ of *op.Attempt }

func attemptOf(ctx context.Context) Attempt { return Attempt{op.AttemptOf(ctx)} }

// Number returns the number of the attempt in the nearest retry around the step that handed out the value. Numbers begin
// with 1. Number returns 0 if there is no retry.
func (a Attempt) Number() int { return a.of.N() }

// Same reports whether a and other are the same attempt of the same retry, or both of no retry.
func (a Attempt) Same(other Attempt) bool { return a.of.Same(other.of) }

// Replaces reports whether the values of earlier are void because of a: a retry is around both, and a
// belongs to a later attempt of that retry. Values of other retries, such as a retry that ran before or one in another
// branch, stay valid.
func (a Attempt) Replaces(earlier Attempt) bool { return a.of.Replaces(earlier.of) }

// Final reports whether the values of a can't be replaced any more, because all retries around them have ended or
// because there is no retry.
func (a Attempt) Final() bool { return a.of.Open() == nil }

// Open returns the innermost of a and the attempts around it whose retry hasn't ended: from now on only a later attempt of that
// retry, or of one around it, replaces the values of a. So who keeps values for each attempt can add those of a to those of
// Open. It returns the zero Attempt if a is final.
func (a Attempt) Open() Attempt { return Attempt{a.of.Open()} }

// String returns the number.
func (a Attempt) String() string { return strconv.Itoa(a.Number()) }
