package grpcx

import (
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/primary"
)

// failure is the error of a failed attempt.
type failure struct {
	cause error
	again bool  // another attempt may be made
	said  *said // nil if the limit of the attempt has passed
}

func (f *failure) Error() string { return f.cause.Error() }

func (f *failure) Unwrap() error { return f.cause }

// Again implements remote.Failure.
func (f *failure) Again() bool { return f.again }

// asking is an error with the pause that a server asks for. retry.Policy calls RetryAfter.
type asking struct {
	error
	after time.Duration
}

func (e *asking) Unwrap() error { return e.error }

func (e *asking) RetryAfter() (pause time.Duration, ok bool) { return e.after, true }

// failureOf returns the failure that err is or wraps; secondary errors don't count. It returns nil if there is none.
func failureOf(err error) *failure {
	f, _ := primary.As[*failure](err)
	return f
}

// judge returns the failure of an attempt that has ended with err, or nil if the policy takes err as an answer.
func (c *call) judge(err error, s *said) *failure {
	if c.client.policy.Failure(Code(err)) {
		f := &failure{cause: FromStatus(err), again: c.repeatable, said: s}
		if after, ok := Pushback(s.trailer); ok {
			f.cause = &asking{f.cause, after}
			f.again = f.again && after >= 0
		}
		return f
	}
	return nil
}

// late returns the failure of an attempt whose limit has passed, and nil for any other error.
func (c *call) late(err error) *failure {
	if failureOf(err) == nil && fault.CodeOf(err) == fault.Timeout {
		return &failure{cause: err, again: c.repeatable}
	}
	return nil
}
