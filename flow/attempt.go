package flow

import (
	"context"
	"strconv"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// An Attempt tells which attempt of a retry has handed out a value of [RunningOutput.All]. The zero
// Attempt is that of a value outside of every retry. Compare by [Attempt.Replaces], not by ==.
//
// Keep it as long as you like, also after the run; any goroutine may use it.
type Attempt struct{ of *op.Attempt }

// attemptOf returns the attempt that ctx belongs to.
func attemptOf(ctx context.Context) Attempt { return Attempt{op.AttemptOf(ctx)} }

// Number returns the number of the attempt of the nearest retry around the step, from 1; 0 without one.
func (a Attempt) Number() int { return a.of.N() }

// Replaces reports whether the values of earlier are void because of a. They are if both belong to the same retry, directly
// or because it is around theirs, and a belongs to a later attempt of it than earlier: that one had failed. Values of other
// retries, such as one before it or one in another branch, stay.
func (a Attempt) Replaces(earlier Attempt) bool { return a.of.Replaces(earlier.of) }

// Final reports whether no value can replace one of a any more, because all retries around it have
// ended. A caller who keeps values until they are final may let go of them then.
func (a Attempt) Final() bool { return a.of.Final() }

// String returns the number.
func (a Attempt) String() string { return strconv.Itoa(a.Number()) }
