package retry

import (
	"time"

	"github.com/futoin-go/asyncsteps/internal/op"
)

// NextRetry reports whether to try again after an attempt, counted from 1, has failed with err, and how long to wait before
// that. It is for programs that keep the number of attempts themselves, for example in a row of a table, so that the number
// survives the process:
//
//	pause, again := policy.NextRetry(row.Tries, err)
//	if again {
//		row.Due = time.Now().Add(pause)
//	}
//
// The answer is that of [Of]: Tries, Codes, If, Pause, Factor, MaxPause, Jitter, MaxRetryAfter and PauseAfter count, and so do
// methods Permanent and RetryAfter of err. What depends on a run doesn't count: Elapsed, Budget, limits and deadlines. OnRetry
// isn't called, and the random numbers are those of math/rand/v2. Fields that [Of] would refuse aren't reported: ask
// flow.Plan.Err of a plan that has the policy, or read the policy from JSON, which checks it.
//
// NextRetry reports false if err is nil. It does so for a cancel too, unless Codes or If say otherwise: an attempt that was
// cut off, as by a shutdown, has not failed, so don't count it.
//
// Any goroutine may call NextRetry. The functions of the policy are called on that goroutine, and a panic of theirs reaches the
// caller.
//
//spec:rules R4, R6
func (p *Policy) NextRetry(attempt int, err error) (pause time.Duration, again bool) {
	if most := p.most(); err == nil || most > 0 && attempt >= most {
		return 0, false
	}
	own := *p
	own.Elapsed = 0
	return own.again(op.Failure{Attempt: attempt, Err: err})
}
