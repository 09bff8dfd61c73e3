package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func TestSuccess(t *testing.T) {
	for failures := range 3 {
		errs := []error{errDown, errors.New("reset")}[:failures]
		got, took, err := timed(t, retry.Of(retry.Policy{Pause: time.Second}, flaky(errs...)), 7)
		if got != 7 || err != nil || took != time.Duration(failures)*time.Second {
			t.Errorf("after %d failures: %d, %v in %v", failures, got, err, took)
		}
	}
}

var closureLine = regexp.MustCompile(`:\d+"`)

// R3, E6: errors.Is finds the errors of earlier attempts in the run's error.
func TestR3ErrorTellsOfAllAttempts(t *testing.T) {
	errs := []error{errors.New("first"), &testError{2}, errDown}
	_, err := plantest.Run(t, flow.Named("load", retry.Of(retry.Policy{}, flaky(errs...))), 0)
	plantest.WantCode(t, err, fault.ConnectError)
	var second *testError
	if !errors.Is(err, errs[0]) || !errors.As(err, &second) || second != errs[1] || !errors.Is(err, errDown) {
		t.Errorf("an attempt is missing in %+v", err)
	}
	if got := closureLine.ReplaceAllString(err.Error(), `"`); got != `ConnectError: server is down (at 0/0/0 "flaky") (and 2 more)` {
		t.Errorf("it says %q", got)
	}
	for _, want := range []string{"also: attempt 1: first", "also: attempt 2: test 2", `0 "load" retry`} {
		if got := fmt.Sprintf("%+v", err); !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

func TestR3ErrorTellsOfNoOtherRetry(t *testing.T) {
	earlier := errors.New("earlier")
	before := retry.Of(retry.Policy{}, flaky(earlier))
	_, err := plantest.Run(t, flow.Then(before, retry.Of(retry.Policy{Tries: 1}, flaky(errDown))), 0)
	if !errors.Is(err, errDown) || errors.Is(err, earlier) {
		t.Errorf("got %+v", err)
	}
}

type testError struct{ n int }

func (e *testError) Error() string { return fmt.Sprint("test ", e.n) }

func TestHandlerAroundSeesAllAttempts(t *testing.T) {
	first := errors.New("first")
	plan := flow.Catch(retry.Of(retry.Policy{Tries: 2}, flaky(first, errDown)), func(_ step.Scope, err error) step.Next[int] {
		if !errors.Is(err, first) || fault.CodeOf(err) != fault.ConnectError || fault.InfoOf(err) != "server is down" {
			t.Errorf("the handler got %+v", err)
		}
		return step.Succeed(-1)
	})
	if got, err := plantest.Run(t, plan, 0); got != -1 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}

func TestErrorsAreBounded(t *testing.T) {
	var errs []error
	for n := range 1000 {
		errs = append(errs, fmt.Errorf("error %d", n+1))
	}
	_, err := plantest.Run(t, retry.Of(retry.Policy{Tries: 1000}, flaky(errs...)), 0)
	e, _ := errors.AsType[*fault.Error](err)
	if len(e.Secondary) != 32 || !errors.Is(err, errs[0]) || !errors.Is(err, errs[998]) || errors.Is(err, errs[500]) {
		t.Errorf("kept %d errors", len(e.Secondary))
	}
	if first, second := e.Secondary[0].Error(), e.Secondary[1].Error(); first != "attempt 1: error 1" || second != "attempt 969: error 969" {
		t.Errorf("kept %q, %q", first, second)
	}
}

func TestR1EachAttemptIsLeftFirst(t *testing.T) {
	var rec recorder
	if _, err := plantest.Run(t, retry.Of(retry.Policy{Pause: time.Second}, rec.withHook(flaky(errDown))), 0); err != nil {
		t.Error(err)
	}
	rec.Want(t, "attempt 1", "hook 1", "cleanup 1", "attempt 2", "cleanup 2")
}

// R2, C1: when the run is cancelled, each attempt that has begun is left once, and no timer remains.
func TestR2Cancel(t *testing.T) {
	for _, tt := range []struct {
		reason string
		at     time.Duration
		want   []string
	}{
		{"before", -1, nil},
		{"during an attempt", 500 * time.Millisecond, []string{"attempt 1", "hook 1", "cleanup 1"}},
		{"during the pause", 1500 * time.Millisecond, []string{"attempt 1", "hook 1", "cleanup 1"}},
		{"after the pause", 2500 * time.Millisecond, []string{"attempt 1", "hook 1", "cleanup 1", "attempt 2", "hook 2", "cleanup 2"}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var rec recorder
			budget := retry.NewBudget(0, 1)
			late := flow.Then(step.Delay[int](time.Second), flaky(errDown, errDown))
			l, run := plantest.Start(t, retry.Of(retry.Policy{Pause: time.Second, Budget: budget}, rec.withHook(late)), 0)
			if tt.at >= 0 {
				l.Advance(tt.at)
			}
			run.Cancel(nil)
			l.Advance(0)
			if l.Pending() != 0 {
				t.Error("a timer is left")
			}
			_, err := plantest.Wait(t, l, run)
			plantest.WantCode(t, err, fault.Cancelled)
			rec.Want(t, tt.want...)
			if calls, retries := budget.InUse(); calls != 0 || retries != 0 {
				t.Errorf("the budget has %d calls, %d retries", calls, retries)
			}
		})
	}
}

// R2, C3: a limit around the retry ends it.
func TestR2Timeout(t *testing.T) {
	for _, at := range []time.Duration{500 * time.Millisecond, 1500 * time.Millisecond} {
		calls := 0
		s := flow.Then(step.Delay[int](time.Second), failing(&calls))
		_, took, err := timed(t, flow.Timeout(at, retry.Of(retry.Policy{Pause: time.Second}, s)), 0)
		plantest.WantCode(t, err, fault.Timeout)
		if took != at || calls > 1 {
			t.Errorf("%d calls in %v", calls, took)
		}
	}
	t.Run("inside", func(t *testing.T) {
		_, took, err := timed(t, retry.Of(retry.Policy{}, flow.Timeout(time.Second, plantest.Never[int, int]())), 0)
		plantest.WantCode(t, err, fault.Timeout)
		if took != 3*time.Second {
			t.Errorf("three attempts took %v", took)
		}
	})
}

// R2, L1: a break or continue leaves the retry, and isn't tried again.
func TestR2SignalsPass(t *testing.T) {
	attempts := 0
	body := retry.Of(retry.Policy{}, step.New(func(_ step.Scope, in int) step.Next[int] {
		switch attempts++; attempts {
		case 1:
			return step.Fail[int](errDown)
		case 2:
			return loopx.Continue[int]()
		default:
			return loopx.Break[int]()
		}
	}))
	if got, err := plantest.Run(t, loopx.Loop(body), 7); got != 7 || err != nil || attempts != 3 {
		t.Errorf("got %d, %v after %d attempts", got, err, attempts)
	}
}

// R4, E4: a panic of the step, or of a function of the policy, is the error of the retry.
func TestR4Panic(t *testing.T) {
	for reason, plan := range map[string]step.Step[int, int]{
		"in the body": retry.Of(retry.Policy{}, fails2(nil, func() { panic("oops") })),
		"in If": retry.Of(retry.Policy{If: func(error) bool { panic("oops") }},
			flaky(errDown)),
		"in PauseAfter": retry.Of(retry.Policy{PauseAfter: func(int, error) time.Duration { panic("oops") }},
			flaky(errDown)),
		"in If, later": retry.Of(retry.Policy{If: func(err error) bool {
			if !errors.Is(err, errDown) {
				panic("oops")
			}
			return true
		}}, flaky(errDown, errors.New("else"))),
		"in OnRetry": retry.Of(retry.Policy{OnRetry: func(int, error, time.Duration) { panic("oops") }},
			flaky(errDown)),
		"in choose": retry.OfAttempt(retry.Policy{}, func(int) step.Step[int, int] { panic("oops") }),
	} {
		t.Run(reason, func(t *testing.T) {
			_, err := plantest.Run(t, plan, 0)
			plantest.WantCode(t, err, fault.InternalError)
			if p, ok := errors.AsType[*fault.Panic](err); !ok || p.Value != "oops" {
				t.Errorf("got %+v", err)
			}
			if strings.HasPrefix(reason, "in If") && !errors.Is(err, errDown) {
				t.Errorf("an attempt is missing in %+v", err)
			}
		})
	}
}

// fails2 returns a step that fails with errs, then calls last.
func fails2(errs []error, last func()) step.Step[int, int] {
	return flow.Then(flaky(errs...), step.Map(func(in int) int {
		last()
		return in
	}))
}

func TestR4BrokenRuleIsNotRetried(t *testing.T) {
	calls := 0
	_, err := plantest.Run(t, retry.Of(retry.Policy{}, step.New(func(step.Scope, int) step.Next[int] {
		calls++
		return step.Fail[int](nil)
	})), 0)
	plantest.WantCode(t, err, fault.InternalError)
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

// The number of the attempt is available from scopes and contexts.
func TestAttemptIsVisible(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rec recorder
		say := step.Await(func(ctx context.Context, in int) (int, error) { return retry.Attempt(ctx), nil })
		inner := retry.Of(retry.Policy{Tries: 2}, step.New(func(as step.Scope, in int) step.Next[int] {
			rec.Recordf("inner %d %d", as.Attempt(), retry.Attempt(as.Context()))
			return step.Fail[int](errDown)
		}))
		outer := retry.Of(retry.Policy{Tries: 2}, flow.Then(flow.Par(say), step.New(func(as step.Scope, in []int) step.Next[int] {
			rec.Recordf("outer %d %d %d", as.Attempt(), retry.Attempt(as.Context()), in[0])
			return step.Into(as, inner, 0)
		})))
		_, err := flow.Run(t.Context(), outer, 0)
		plantest.WantCode(t, err, fault.ConnectError)
		rec.Want(t, "outer 1 1 1", "inner 1 1", "inner 2 2", "outer 2 2 2", "inner 1 1", "inner 2 2")
		if retry.Attempt(t.Context()) != 0 {
			t.Error("outside of a retry there is an attempt")
		}
	})
}

func TestEvents(t *testing.T) {
	var rec recorder
	watch := observe.Func(func(ctx context.Context, _ observe.Run) (context.Context, observe.Watch) {
		return ctx, func(e observe.Event) {
			n, most := e.Attempt()
			rec.Recordf("%v %s %s %d/%d %v", e.Kind, e.Path(), e.StepKind(), n, most, e.At)
		}
	})
	l := tooltest.New()
	flow.Start(observe.With(t.Context(), watch), l, retry.Of(retry.Policy{Tries: 5, Pause: time.Second}, flaky(errDown)), 0)
	l.Run()
	rec.Want(t,
		"step start 0 retry 0/0 0s",
		"step start 0/0 attempt 1/5 0s", "step start 0/0/0 func 1/5 0s", "raised 0/0/0 func 1/5 0s",
		"step end 0/0/0 func 1/5 0s", "handled 0/0 attempt 1/5 0s", "step end 0/0 attempt 1/5 0s",
		"suspended 0 retry 0/0 0s", "resumed 0 retry 0/0 1s",
		"step start 0/0 attempt 2/5 1s", "step start 0/0/0 func 2/5 1s", "step end 0/0/0 func 2/5 1s",
		"step end 0/0 attempt 2/5 1s", "step end 0 retry 0/0 1s", "run end   0/0 1s",
	)
}

func TestOfAttempt(t *testing.T) {
	servers := []step.Step[int, string]{
		step.Func(func(step.Scope, int) (string, error) { return "", errDown }),
		step.Func(func(_ step.Scope, in int) (string, error) { return fmt.Sprint("second ", in), nil }),
	}
	choose := func(n int) step.Step[int, string] { return servers[n-1] }
	if got, err := plantest.Run(t, retry.OfAttempt(retry.Policy{}, choose), 7); got != "second 7" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := plantest.Run(t, retry.OfAttempt(retry.Policy{}, func(int) step.Step[int, string] { return nil }), 7)
	plantest.WantCode(t, err, fault.InvalidRequest)
	plantest.WantCode(t, retry.OfAttempt[int, int](retry.Policy{}, nil).Err(), fault.InvalidRequest)
}

func TestO4RetryStarvesNobody(t *testing.T) {
	calls := 0
	l, run := plantest.Start(t, retry.Of(retry.Policy{Tries: -1}, failing(&calls)), 0)
	if !l.RunUntil(func() bool { return calls > 1000 }) {
		t.Error("it has stopped")
	}
	_, _ = l.Deferred(0, func() { run.Cancel(nil) })
	_, err := plantest.Wait(t, l, run)
	plantest.WantCode(t, err, fault.Cancelled)
	if calls > 3000 {
		t.Errorf("the timer came after %d attempts", calls)
	}
}

func TestBadPolicies(t *testing.T) {
	for want, p := range map[string]retry.Policy{
		"Elapsed is below zero: -1ns":       {Elapsed: -1},
		"Pause is below zero: -1ns":         {Pause: -1},
		"MaxPause is below zero: -1ns":      {MaxPause: -1},
		"Factor must be 0, or 1 and more":   {Factor: 0.5},
		"Factor must be 0, or 1 and more, ": {Factor: math.NaN()},
		"got +Inf":                          {Factor: math.Inf(1)},
		"Jitter must be from 0 to 1, got 2": {Jitter: 2},
		"Jitter must be from 0 to 1":        {Jitter: math.NaN()},
		"not made by NewBudget":             {Budget: new(retry.Budget)},
		"share of a Budget":                 {Budget: retry.NewBudget(math.NaN(), 0)},
		"floor of a Budget":                 {Budget: retry.NewBudget(0, -1)},
	} {
		err := retry.Of(p, flaky()).Err()
		plantest.WantCode(t, err, fault.InvalidRequest)
		if e, ok := errors.AsType[*fault.Error](err); !ok || !strings.Contains(e.Info, want) || !strings.HasSuffix(e.Site.File, "retry_test.go") {
			t.Errorf("%s: got %v", want, err)
		}
	}
	plantest.WantCode(t, retry.Of[int, int](retry.Policy{}, nil).Err(), fault.InvalidRequest)
}

func TestDescribe(t *testing.T) {
	var got []string
	for tree := range flow.Describe(flow.Named("load", retry.Of(retry.Policy{}, flaky()))).All() {
		got = append(got, strings.TrimSpace(fmt.Sprint(tree.Path, " ", tree.Kind, " ", tree.Name)))
	}
	if diff := cmp.Diff([]string{"plan", "0 retry load", "0/0 attempt", "0/0/0 func"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if flow.Describe(retry.Of(retry.Policy{}, flaky())).Digest == flow.Describe(flaky()).Digest {
		t.Error("a retry isn't in the digest")
	}
}

// C8: the deadline of contexts in an attempt is the nearest limit, around the attempt or in it.
func TestC8DeadlineOfAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, inside := range []time.Duration{time.Second, time.Hour} {
			began := time.Now()
			s := flow.Timeout(inside, step.Await(func(ctx context.Context, _ int) (time.Time, error) {
				at, _ := ctx.Deadline()
				return at, nil
			}))
			at, err := flow.Run(t.Context(), flow.Timeout(time.Minute, retry.Of(retry.Policy{}, s)), 0)
			if want := began.Add(min(inside, time.Minute)); err != nil || !at.Equal(want) {
				t.Errorf("the deadline is %v, %v; want %v", at, err, want)
			}
		}
	})
}

func TestOnRetry(t *testing.T) {
	permanent := fault.New(fault.InvalidRequest, "no")
	exhausted := retry.NewBudget(0, 1)
	for reason, tt := range map[string]struct {
		p    retry.Policy
		errs []error
		want string
	}{
		"success":             {retry.Policy{}, nil, ""},
		"success at the last": {retry.Policy{Pause: time.Second, Factor: 2}, []error{errDown, io.EOF}, "1 ConnectError: server is down 1s, 2 EOF 2s, "},
		"all fail":            {retry.Policy{Tries: 2}, []error{errDown, io.EOF}, "1 ConnectError: server is down 0s, "},
		"not tried again":     {retry.Policy{}, []error{io.EOF, permanent}, "1 EOF 0s, "},
		"out of time":         {retry.Policy{Pause: time.Second, Elapsed: time.Millisecond}, []error{errDown}, ""},
		"out of budget":       {retry.Policy{Tries: 5, Budget: retry.NewBudget(0, 0)}, []error{errDown, errDown}, ""},
		"within the budget":   {retry.Policy{Budget: exhausted}, []error{io.EOF}, "1 EOF 0s, "},
		"no pause of its own": {retry.Policy{PauseAfter: func(int, error) time.Duration { return time.Minute }}, []error{io.EOF}, "1 EOF 1m0s, "},
	} {
		var got strings.Builder
		tt.p.OnRetry = func(attempt int, err error, pause time.Duration) {
			text, _, _ := strings.Cut(err.Error(), " (at")
			fmt.Fprint(&got, attempt, " ", text, " ", pause, ", ")
		}
		if _, _, err := timed(t, retry.Of(tt.p, flaky(tt.errs...)), 7); got.String() != tt.want {
			t.Errorf("%s: got %q, want %q; the run gave %v", reason, got.String(), tt.want, err)
		}
	}
	if _, _, err := timed(t, retry.Of(retry.Policy{Budget: exhausted, OnRetry: func(int, error, time.Duration) { panic("oops") }}, flaky(io.EOF)), 7); err == nil {
		t.Error("no error after a panic of OnRetry")
	}
	if calls, retries := exhausted.InUse(); calls != 0 || retries != 0 {
		t.Errorf("%d calls and %d retries are in the budget at the end", calls, retries)
	}
}
