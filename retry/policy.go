package retry

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/internal/op"
	"github.com/futoin-go/asyncsteps/internal/primary"
)

// Policy says how often a stage is tried, when, and after which errors. The zero Policy tries three times, without pauses. A
// Policy is a value: [Of] keeps a copy, and one policy may be given to any number of plans.
//
// In a run the functions are called on its loop. Runs on several loops may call them at the same time. If one of the
// functions panics, no further attempt is made, and the retry fails with fault.InternalError. For [Policy.NextRetry] other
// rules hold.
//
//spec:rule E4
type Policy struct {
	// Tries is how many attempts are made in all. 0 stands for 3; below zero for
	// any number, which Elapsed may bound.
	Tries int

	// Elapsed is how long after the beginning of the first attempt the last one may begin. If the pause would end later the
	// retry fails at once. Elapsed doesn't end an attempt that runs: flow.Timeout does. 0 is no limit.
	Elapsed time.Duration

	// Pause is how long to wait before the second attempt. 0 is no pause.
	Pause time.Duration
	// Factor is how many times longer each pause is than the one before. 0 and 1 mean a
	// constant pause; other values below 1 are not allowed.
	Factor float64
	// MaxPause bounds the pause that Pause and Factor make. 0 is no limit.
	MaxPause time.Duration
	// Jitter is the share of each pause that is random, from 0 to 1: a pause of d takes from
	// (1-Jitter)·d to d. With 0 pauses aren't random, with 1 they take anything up to d. The
	// random numbers are those of the run's loop, so a tooltest.Loop repeats them.
	Jitter float64
	// MaxRetryAfter is the longest pause that an error may ask for, by a method RetryAfter() (pause time.Duration, ok
	// bool), such as a *httpx.StatusError with a header Retry-After. The next attempt then doesn't begin before that
	// pause is over, whatever MaxPause and Jitter are. If the error asks for more than MaxRetryAfter, or for so much
	// that a limit around the retry or the deadline of its run would have passed by then, no attempt follows, and the
	// reason is a Secondary error. 0 stands for a minute. Below zero MaxRetryAfter bounds no pause.
	MaxRetryAfter time.Duration
	// PauseAfter, if not nil, returns how long to wait after an attempt, counted from 1, has
	// failed with err. The pause is exactly that long: MaxPause and Jitter don't apply, and what err asks for
	// doesn't count. If the result is below zero, the pause is the same as without PauseAfter.
	PauseAfter func(attempt int, err error) time.Duration

	// Codes and If choose the errors after which to try again: those whose fault.CodeOf is in Codes, and those for which If
	// returns true. If both are nil, [Permanent] decides. Then these errors are not tried again: panics, broken rules of the
	// API and other errors that were made with the code fault.InternalError; the codes fault.Cancelled, InvalidRequest,
	// NotImplemented, UnknownInterface, NotSupportedVersion, Unauthorized, SecurityError and PleaseReauth; and errors with a
	// method Permanent() bool that returns true, such as a *httpx.StatusError of 404. A Go error without a code is tried
	// again, even if a fault.Error of the code fault.InternalError wraps it. Codes that are empty but not nil choose no
	// error.
	Codes []fault.Code
	// If reports whether to try again after err, the error that a handler would get; see Codes. It replaces the rule for
	// policies without Codes and If; to narrow that rule, call [Permanent] in it. It must not block the loop.
	If func(err error) bool

	// OnRetry, if not nil, is called on the loop when an attempt has failed and another one is to
	// follow: for counts and logs. attempt is the number of the failed one, from 1, err its error, and
	// pause how long the next one waits. If the run is cancelled during the pause, no further attempt
	// follows after all. OnRetry must not block.
	OnRetry func(attempt int, err error, pause time.Duration)

	// Budget bounds the further attempts of all calls that share it. Nil is no
	// bound.
	Budget *Budget
}

// Defaults of the fields of a Policy.
const (
	defaultTries         = 3
	defaultMaxRetryAfter = time.Minute
)

// tries converts the policy for the step. bad is the reason why the policy is invalid, "" if it is valid.
func (p *Policy) tries() (how *op.Tries, bad string) {
	how = &op.Tries{Most: p.most(), Timed: p.Elapsed > 0}
	if p.Budget != nil {
		how.Budget = &p.Budget.b
	}
	own := *p
	own.Codes = slices.Clone(p.Codes)
	how.Again = own.again
	if told := p.OnRetry; told != nil {
		how.Decided = func(f op.Failure, pause time.Duration) { told(f.Attempt, f.Err, pause) }
	}
	if bad = p.bad(); bad != "" {
		bad = "retry: " + bad
	}
	return how, bad
}

// most returns how many attempts are made in all; 0 stands for any number.
func (p *Policy) most() int { return max(cmp.Or(p.Tries, defaultTries), 0) }

// bad returns what is wrong with p, "" if nothing is.
func (p *Policy) bad() string {
	switch {
	case p.Elapsed < 0:
		return "Elapsed is below zero: " + p.Elapsed.String()
	case p.Pause < 0:
		return "Pause is below zero: " + p.Pause.String()
	case p.MaxPause < 0:
		return "MaxPause is below zero: " + p.MaxPause.String()
	case p.Factor != 0 && !(p.Factor >= 1 && p.Factor <= math.MaxFloat64):
		return "Factor must be 0, or 1 and more, got " + number(p.Factor)
	case !(p.Jitter >= 0 && p.Jitter <= 1):
		return "Jitter must be from 0 to 1, got " + number(p.Jitter)
	case p.Budget != nil:
		return p.Budget.b.bad()
	default:
		return ""
	}
}

func (p *Policy) again(f op.Failure) (time.Duration, bool) {
	if !p.retries(f.Err) {
		return 0, false
	}
	pause, ok := p.pause(f)
	return pause, ok && (p.Elapsed <= 0 || pause <= p.Elapsed-f.Since)
}

func (p *Policy) retries(err error) bool {
	if p.If == nil && p.Codes == nil {
		return !Permanent(err)
	}
	return slices.Contains(p.Codes, fault.CodeOf(err)) || p.If != nil && p.If(err)
}

// pause returns how long to wait after the failed attempt f. It reports false if the error asks for a
// longer pause than the policy, a limit or a deadline allows.
func (p *Policy) pause(f op.Failure) (time.Duration, bool) {
	if p.PauseAfter != nil {
		if d := p.PauseAfter(f.Attempt, f.Err); d >= 0 {
			return d, true
		}
	}
	own := p.backOff(f)
	e, ok := primary.As[asking](f.Err)
	if !ok {
		return own, true
	}
	after, ok := e.RetryAfter()
	if !ok {
		return own, true
	}
	most := cmp.Or(p.MaxRetryAfter, defaultMaxRetryAfter)
	left, limited := f.Left()
	switch {
	case most >= 0 && after > most:
		return 0, refused(f, after, "which is longer than MaxRetryAfter, "+most.String())
	case limited && after >= left:
		return 0, refused(f, after, "and a limit or deadline ends before")
	}
	return max(own, after), true
}

// refused adds the reason why no attempt follows f as a secondary error, and returns false.
func refused(f op.Failure, after time.Duration, why string) bool {
	f.Also(fault.New(codeRetryAfter, fmt.Sprintf("the next attempt may begin after %v, %s", after, why)))
	return false
}

// codeRetryAfter isn't a code of package fault, so that handlers of such codes don't match the reason.
const codeRetryAfter fault.Code = "RetryAfter"

// asking is an error that knows when another attempt may succeed.
type asking interface {
	error
	RetryAfter() (pause time.Duration, ok bool)
}

// backOff returns the pause that the policy alone asks for.
func (p *Policy) backOff(f op.Failure) time.Duration {
	longest := p.MaxPause
	if longest == 0 {
		longest = math.MaxInt64
	}
	d := float64(p.Pause)
	if p.Factor > 1 && d > 0 {
		d *= math.Pow(p.Factor, float64(f.Attempt-1))
	}
	pause := longest
	if d < float64(longest) { // the product may be out of the range of a Duration
		pause = time.Duration(d)
	}
	if p.Jitter > 0 && pause > 0 {
		pause -= time.Duration(p.Jitter * float64(pause) * unit(f.Rand()))
	}
	return max(pause, 0)
}

// unit converts a random number to a float in [0, 1).
func unit(random uint64) float64 { return float64(random>>11) / (1 << 53) }
