package grpcx

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/primary"
)

// failure is why an attempt has failed, and what may follow.
type failure struct {
	cause error
	again bool          // another attempt may be made
	after time.Duration // as the trailer for pushback says; below zero if it doesn't
	said  *said         // or nil
}

func (f *failure) Error() string { return f.cause.Error() }

func (f *failure) Unwrap() error { return f.cause }

// Next implements remote.Failure.
func (f *failure) Next() (again bool, after time.Duration) { return f.again, f.after }

// failureOf returns the failure that err is, which isn't one of an earlier attempt or of another branch. It is nil if a
// guard has refused the attempt, or the call was cancelled.
func failureOf(err error) *failure {
	f, _ := primary.As[*failure](err)
	return f
}

// judge returns what an attempt comes to that has ended with err, which isn't nil: a failure, or nil if it is an answer.
func (c *call) judge(err error, s *said) *failure {
	if c.client.policy.Failure(Code(err)) {
		f := &failure{cause: FromStatus(err), again: c.repeatable, after: -1, said: s}
		if after, ok := Pushback(s.trailer); ok {
			f.after = after
			f.again = f.again && after >= 0 && c.waits(after)
		}
		return f
	}
	return nil
}

// late returns the failure of an attempt whose limit has passed, and nil for any other error.
func (c *call) late(err error) *failure {
	if failureOf(err) == nil && fault.CodeOf(err) == fault.Timeout {
		return &failure{cause: err, again: c.repeatable, after: -1}
	}
	return nil
}

// waits reports whether the call may wait so long for its next attempt.
func (c *call) waits(after time.Duration) bool {
	if most := c.client.policy.MaxPushback; most >= 0 && after > most {
		return false
	}
	until, ok := c.ctx.Deadline()
	return !ok || after < time.Until(until)
}
