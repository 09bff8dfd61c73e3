package flow

import (
	"context"
	"strconv"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// An Attempt tells which attempt of a retry has handed out a value of [RunningOutput.All]. The zero
// Attempt stands for no attempt: the value comes from outside of every retry. Compare by [Attempt.Replaces], not by ==.
//
// Keep it as long as you like, also after the run; any goroutine may use it.
type Attempt struct{ of *op.Attempt }

// attemptOf returns the attempt that ctx belongs to.
func attemptOf(ctx context.Context) Attempt { return Attempt{op.AttemptOf(ctx)} }

// Number returns the number of the attempt of the nearest retry around the step, from 1; 0 without one.
func (a Attempt) Number() int { return a.of.N() }

// Replaces reports whether the values of earlier are void because of a. They are if some retry is around both, and a is in a
// later attempt of that retry than earlier, whose attempt has failed. Values of other retries, such as one before it or one
// in another branch, stay valid.
func (a Attempt) Replaces(earlier Attempt) bool { return a.of.Replaces(earlier.of) }

// Final reports whether the values of a can't be replaced any more, because all retries around them have
// ended, or because there is none. A caller that keeps values until they are final may let go of them then.
func (a Attempt) Final() bool { return a.of.Final() }

// String returns the number.
func (a Attempt) String() string { return strconv.Itoa(a.Number()) }
