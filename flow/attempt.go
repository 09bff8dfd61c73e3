package flow

import (
	"context"
	"strconv"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// An Attempt tells which attempt of a retry a value comes from that [RunningOutput.All] gives. The zero
// Attempt is that of a value outside of every retry. Compare by [Attempt.Replaces], not by ==.
//
// Keep it as long as you like, also after the run; any goroutine may use it.
type Attempt struct{ of *op.Attempt }

// attemptOf returns the attempt that ctx is part of.
func attemptOf(ctx context.Context) Attempt { return Attempt{op.AttemptOf(ctx)} }

// Number returns the number of the attempt of the nearest retry around the step, from 1; 0 without one.
func (a Attempt) Number() int { return a.of.N() }

// Replaces reports whether a value of a makes one of earlier void: both are of the same retry, or
// of retries in one that is around both, and the attempt of earlier had failed and was made again. Values of other retries, of
// those before or of those in other branches, stay.
func (a Attempt) Replaces(earlier Attempt) bool { return a.of.Replaces(earlier.of) }

// Final reports whether no value can replace one of a any more, because all retries around it have
// ended. A caller who keeps values until they are final may let go of them then.
func (a Attempt) Final() bool { return a.of.Final() }

// String returns the number.
func (a Attempt) String() string { return strconv.Itoa(a.Number()) }
