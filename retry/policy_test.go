package retry_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// pauses returns the pauses of a retry that never succeeds.
func pauses(t *testing.T, p retry.Policy, options ...tooltest.Option) (all []time.Duration) {
	t.Helper()
	l := tooltest.New(options...)
	var last time.Duration
	run := flow.Start(t.Context(), l, retry.Of(p, step.Func(func(as step.Scope, _ int) (int, error) {
		if as.Attempt() > 1 {
			all = append(all, l.Now()-last)
		}
		last = l.Now()
		return 0, errDown
	})), 0)
	_, err := plantest.Wait(t, l, run)
	plantest.WantCode(t, err, fault.ConnectError)
	return all
}

func TestPauses(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		reason string
		policy retry.Policy
		want   []time.Duration
	}{
		{"the zero Policy", retry.Policy{}, []time.Duration{0, 0}},
		{"one try", retry.Policy{Tries: 1, Pause: s}, nil},
		{"constant", retry.Policy{Tries: 4, Pause: s}, []time.Duration{s, s, s}},
		{"a factor of one", retry.Policy{Pause: s, Factor: 1}, []time.Duration{s, s}},
		{"longer and longer", retry.Policy{Tries: 5, Pause: s, Factor: 1.5}, []time.Duration{s, 1500 * time.Millisecond, 2250 * time.Millisecond, 3375 * time.Millisecond}},
		{"capped", retry.Policy{Tries: 5, Pause: s, Factor: 2, MaxPause: 3 * s}, []time.Duration{s, 2 * s, 3 * s, 3 * s}},
		{"capped from the first", retry.Policy{Pause: 5 * s, MaxPause: 3 * s}, []time.Duration{3 * s, 3 * s}},
		{"beyond all numbers", retry.Policy{Pause: s, Factor: math.MaxFloat64, MaxPause: 9 * s}, []time.Duration{s, 9 * s}},
		{"a function", retry.Policy{Tries: 4, Pause: s, MaxPause: s, Jitter: 1, PauseAfter: func(n int, err error) time.Duration {
			if n == 2 || !errors.Is(err, errDown) {
				return 0
			}
			return time.Duration(n) * 10 * s
		}}, []time.Duration{10 * s, 0, 30 * s}},
		{"a function without an opinion", retry.Policy{Pause: s, PauseAfter: func(int, error) time.Duration { return -1 }}, []time.Duration{s, s}},
		{"as long as the time lasts", retry.Policy{Tries: -1, Elapsed: 10 * s, Pause: s, Factor: 2}, []time.Duration{s, 2 * s, 4 * s}},
		{"to the very end", retry.Policy{Tries: -1, Elapsed: 3 * s, Pause: s}, []time.Duration{s, s, s}},
	} {
		if diff := cmp.Diff(tt.want, pauses(t, tt.policy)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestElapsed(t *testing.T) {
	calls := 0
	slow := flow.Then(step.Delay[int](3*time.Second), failing(&calls))
	_, took, err := timed(t, retry.Of(retry.Policy{Tries: -1, Elapsed: 5 * time.Second, Pause: time.Second}, slow), 0)
	plantest.WantCode(t, err, fault.ConnectError)
	if calls != 2 || took != 7*time.Second {
		t.Errorf("%d attempts in %v", calls, took)
	}
}

// The random numbers come from the loop: with the same seed they are the same, with another seed they differ.
func TestJitter(t *testing.T) {
	p := retry.Policy{Tries: 50, Pause: time.Second, Jitter: 0.25}
	one, again := pauses(t, p, tooltest.WithSeed(1)), pauses(t, p, tooltest.WithSeed(1))
	if diff := cmp.Diff(one, again); diff != "" {
		t.Errorf("the same seed gives other pauses:\n%s", diff)
	}
	if cmp.Equal(one, pauses(t, p, tooltest.WithSeed(2))) {
		t.Error("another seed gives the same pauses")
	}
	if diff := cmp.Diff(pauses(t, p), pauses(t, p)); diff != "" {
		t.Errorf("without a seed the pauses aren't the same:\n%s", diff)
	}
	least, most := time.Hour, time.Duration(0)
	for _, d := range one {
		least, most = min(least, d), max(most, d)
	}
	if least < 750*time.Millisecond || least > 800*time.Millisecond || most > time.Second || most < 950*time.Millisecond {
		t.Errorf("drawn from %v to %v", least, most)
	}
}

// lasting is an error that knows whether it would come again.
type lasting bool

func (l lasting) Error() string { return fmt.Sprint("lasting: ", bool(l)) }

func (l lasting) Permanent() bool { return bool(l) }

func TestR4WhichErrors(t *testing.T) {
	plain := errors.New("reset")
	only := func(err error) func(error) bool { return func(got error) bool { return errors.Is(got, err) } }
	for _, tt := range []struct {
		reason string
		policy retry.Policy
		err    error
		again  bool
	}{
		{"a Go error", retry.Policy{}, plain, true},
		{"a code", retry.Policy{}, fault.Timeout, true},
		{"a wrapped code", retry.Policy{}, fmt.Errorf("call: %w", fault.DefenseRejected), true},
		{"a code of the program's own", retry.Policy{}, fault.New("NoRoom", ""), true},
		{"a request that stays wrong", retry.Policy{}, fault.Wrap(fault.InvalidRequest, "", plain), false},
		{"credentials that stay wrong", retry.Policy{}, fmt.Errorf("call: %w", fault.Unauthorized), false},
		{"an error that would come again", retry.Policy{}, fmt.Errorf("call: %w", lasting(true)), false},
		{"an error that wouldn't", retry.Policy{}, lasting(false), true},
		{"a secondary one would", retry.Policy{}, &fault.Error{Code: fault.CommError, Secondary: []error{lasting(true)}}, true},
		{"an error that would come again, but is asked for", retry.Policy{If: only(lasting(true))}, lasting(true), true},
		{"a cancel of something inside", retry.Policy{}, fault.Cancelled, false},
		{"a defect that is declared", retry.Policy{}, fault.New(fault.InternalError, "broken"), false},
		{"a defect that is wrapped", retry.Policy{}, fmt.Errorf("call: %w", fault.InternalError), false},
		{"a Go error that is wrapped as what it counts as", retry.Policy{}, fault.Wrap(fault.InternalError, "call", plain), true},
		{"a code that is asked for", retry.Policy{Codes: []fault.Code{fault.Timeout, "NoRoom"}}, fault.New("NoRoom", ""), true},
		{"a code that isn't", retry.Policy{Codes: []fault.Code{fault.Timeout}}, fault.ConnectError, false},
		{"no code at all", retry.Policy{Codes: []fault.Code{}}, fault.Timeout, false},
		{"a defect that is asked for", retry.Policy{Codes: []fault.Code{fault.InternalError}}, fault.InternalError, true},
		{"an error that is asked for", retry.Policy{If: only(plain)}, plain, true},
		{"an error that isn't", retry.Policy{If: only(plain)}, errDown, false},
		{"one of both", retry.Policy{If: only(plain), Codes: []fault.Code{fault.ConnectError}}, errDown, true},
		{"none of both", retry.Policy{If: only(plain), Codes: []fault.Code{fault.ConnectError}}, fault.Timeout, false},
	} {
		got, err := plantest.Run(t, retry.Of(tt.policy, flaky(tt.err)), 7)
		if again := err == nil && got == 7; again != tt.again || !tt.again && !errors.Is(err, tt.err) {
			t.Errorf("%s: tried again %v, %v", tt.reason, again, err)
		}
		if _, again := tt.policy.NextRetry(1, tt.err); again != tt.again {
			t.Errorf("%s: NextRetry %v", tt.reason, again)
		}
	}
}

// asking is an error that asks for a pause; below zero it asks for none.
type asking time.Duration

func (a asking) Error() string { return "asks for " + time.Duration(a).String() }

func (a asking) RetryAfter() (time.Duration, bool) { return time.Duration(a), a >= 0 }

// R6: unless PauseAfter has an answer, the next attempt doesn't begin before the pause that an error asks for is over.
func TestR6PauseThatAnErrorAsksFor(t *testing.T) {
	const s = time.Second
	exactly := func(d time.Duration) func(int, error) time.Duration {
		return func(int, error) time.Duration { return d }
	}
	for _, tt := range []struct {
		reason string
		policy retry.Policy
		err    error
		limit  time.Duration
		paused time.Duration // below zero: no other attempt
	}{
		{"more than the policy's", retry.Policy{Pause: s}, asking(3 * s), 0, 3 * s},
		{"less than the policy's", retry.Policy{Pause: 5 * s}, asking(3 * s), 0, 5 * s},
		{"no time", retry.Policy{Pause: s}, asking(0), 0, s},
		{"nothing", retry.Policy{Pause: s}, asking(-1), 0, s},
		{"not random, and not capped", retry.Policy{Pause: s, Jitter: 1, MaxPause: 2 * s}, asking(3 * s), 0, 3 * s},
		{"of what is wrapped", retry.Policy{}, fmt.Errorf("call: %w", fault.Wrap(fault.CommError, "", asking(3*s))), 0, 3 * s},
		{"of a secondary error", retry.Policy{}, &fault.Error{Code: fault.CommError, Secondary: []error{asking(3 * s)}}, 0, 0},
		{"a minute", retry.Policy{}, asking(60 * s), 0, 60 * s},
		{"more than a minute", retry.Policy{}, asking(61 * s), 0, -1},
		{"as much as is allowed", retry.Policy{MaxRetryAfter: 2 * s}, asking(2 * s), 0, 2 * s},
		{"more than is allowed", retry.Policy{MaxRetryAfter: 2 * s}, asking(3 * s), 0, -1},
		{"more than is allowed, of a chosen error", retry.Policy{MaxRetryAfter: s, If: func(error) bool { return true }}, asking(3 * s), 0, -1},
		{"without a bound", retry.Policy{MaxRetryAfter: -1}, asking(3600 * s), 0, 3600 * s},
		{"beyond Elapsed", retry.Policy{Elapsed: 2 * s}, asking(3 * s), 0, -1},
		{"up to the limit around", retry.Policy{}, asking(3 * s), 3 * s, -1},
		{"within the limit around", retry.Policy{}, asking(3 * s), 4 * s, 3 * s},
		{"the policy knows better", retry.Policy{MaxRetryAfter: s, PauseAfter: exactly(2 * s)}, asking(3 * s), 2500 * time.Millisecond, 2 * s},
		{"the policy doesn't know", retry.Policy{PauseAfter: exactly(-1)}, asking(3 * s), 0, 3 * s},
	} {
		plan := retry.Of(tt.policy, flaky(tt.err))
		if tt.limit > 0 {
			plan = flow.Timeout(tt.limit, plan)
		}
		got, took, err := timed(t, plan, 7)
		if tt.paused < 0 {
			if !errors.Is(err, tt.err) || took != 0 {
				t.Errorf("%s: %v after %v", tt.reason, err, took)
			}
		} else if got != 7 || err != nil || took != tt.paused {
			t.Errorf("%s: %d, %v after %v, want %v", tt.reason, got, err, took, tt.paused)
		}
	}
}

// An error that asks for too much tells why no other attempt follows; another one that is final doesn't.
func TestReasonOfNoAttempt(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		policy retry.Policy
		limit  time.Duration
		want   string // "" for no reason
	}{
		{retry.Policy{}, time.Hour, "RetryAfter: the next attempt may begin after 1m30s, which is longer than MaxRetryAfter, 1m0s"},
		{retry.Policy{MaxRetryAfter: 9 * s}, time.Hour, "RetryAfter: the next attempt may begin after 1m30s, which is longer than MaxRetryAfter, 9s"},
		{retry.Policy{MaxRetryAfter: -1}, 80 * s, "RetryAfter: the next attempt may begin after 1m30s, and a limit or deadline ends before"},
		{retry.Policy{Tries: 1}, time.Hour, ""},
		{retry.Policy{Codes: []fault.Code{}}, time.Hour, ""},
	} {
		_, _, err := timed(t, flow.Timeout(tt.limit, retry.Of(tt.policy, flaky(asking(90*s)))), 7)
		var reasons []string
		if e, ok := fault.AsType[*fault.Error](err); ok {
			for _, why := range e.Secondary {
				reasons = append(reasons, why.Error())
			}
		}
		if got := strings.Join(reasons, "; "); got != tt.want || !errors.Is(err, asking(90*s)) {
			t.Errorf("%+v: %v beside %v", tt.policy, got, err)
		}
	}
}

// The deadline of the run's context bounds a pause as a limit around the retry does.
func TestR6DeadlineOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 4*time.Second)
		defer stop()
		begun := time.Now()
		_, err := flow.Run(ctx, retry.Of(retry.Policy{}, flaky(asking(3*time.Second), asking(3*time.Second))), 7)
		if took := time.Since(begun); !errors.Is(err, asking(3*time.Second)) || fault.CodeOf(err) == fault.Timeout || took != 3*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// A Go error with a secondary error of a hook still counts as a Go error.
func TestErrorWithSecondary(t *testing.T) {
	calls := 0
	s := step.New(func(as step.Scope, in int) step.Next[int] {
		if calls++; calls == 2 {
			return step.Succeed(in)
		}
		as.SetCancel(func() { plantest.BreakRule(as) })
		return step.Fail[int](errors.New("reset"))
	})
	if got, err := plantest.Run(t, retry.Of(retry.Policy{}, s), 7); got != 7 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}

func TestPolicyIsCopied(t *testing.T) {
	codes := []fault.Code{fault.ConnectError}
	plan := retry.Of(retry.Policy{Codes: codes}, flaky(errDown))
	codes[0] = fault.Timeout
	if _, err := plantest.Run(t, plan, 0); err != nil {
		t.Error(err)
	}
}

func TestElapsedBeginsWithTheFirstAttempt(t *testing.T) {
	tries := retry.Of(retry.Policy{Tries: -1, Elapsed: 3 * time.Second, Pause: time.Second}, flaky(slices.Repeat([]error{errDown}, 10)...))
	_, took, err := timed(t, flow.Then(step.Delay[int](time.Hour), tries), 0)
	if want := time.Hour + 3*time.Second; took != want || !errors.Is(err, errDown) {
		t.Errorf("%v after %v, want %v", err, took, want)
	}
}

type armed struct {
	*tooltest.Loop
	timers int
}

func (a *armed) Deferred(d time.Duration, fn func()) (tool.Handle, error) {
	a.timers++
	return a.Loop.Deferred(d, fn)
}

func TestNoPauseArmsNoTimer(t *testing.T) {
	loop := &armed{Loop: tooltest.New()}
	run := flow.Start(t.Context(), loop, retry.Of(retry.Policy{}, flaky(errDown, errDown)), 7)
	loop.Run()
	if v, err := run.Result(); v != 7 || err != nil || loop.timers != 0 {
		t.Errorf("%d, %v with %d timers", v, err, loop.timers)
	}
}

func TestR4GoexitIsNotRetried(t *testing.T) {
	var calls atomic.Int32
	_, err := flow.Run(t.Context(), retry.Of(retry.Policy{}, step.Await(func(context.Context, int) (int, error) {
		calls.Add(1)
		runtime.Goexit()
		return 0, nil
	})), 0)
	plantest.WantCode(t, err, fault.InternalError)
	if calls.Load() != 1 {
		t.Errorf("%d calls", calls.Load())
	}
}
