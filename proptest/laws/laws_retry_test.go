package laws_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

type retrying struct {
	policy   retry.Policy
	failures int
	takes    time.Duration
	asks     time.Duration // the pause that each error asks for; 0 for none
}

type patient time.Duration

func (a patient) Error() string { return "asks for " + time.Duration(a).String() }

func (a patient) RetryAfter() (time.Duration, bool) { return time.Duration(a), a > 0 }

var retryings = rapid.Custom(func(t *rapid.T) retrying {
	ms := func(what string, most int) time.Duration {
		return time.Duration(rapid.IntRange(0, most).Draw(t, what)) * time.Millisecond
	}
	return retrying{
		policy: retry.Policy{
			Tries:         rapid.IntRange(1, 8).Draw(t, "tries"),
			Elapsed:       ms("elapsed", 200),
			Pause:         ms("pause", 20),
			Factor:        rapid.SampledFrom([]float64{0, 1, 1.5, 2, 10}).Draw(t, "factor"),
			MaxPause:      ms("longest", 60),
			MaxRetryAfter: ms("longest asked for", 40),
			Jitter:        rapid.SampledFrom([]float64{0, 0, 0.25, 1}).Draw(t, "jitter"),
		},
		failures: rapid.IntRange(0, 9).Draw(t, "failures"),
		takes:    ms("call", 9),
		asks:     max(0, ms("asked for", 60)-30*time.Millisecond),
	}
})

// pause returns the pause after attempt n, without jitter.
func (r retrying) pause(n int) time.Duration {
	d := r.policy.Pause
	for range n - 1 {
		d = time.Duration(float64(d) * max(r.policy.Factor, 1))
	}
	if longest := r.policy.MaxPause; longest > 0 {
		d = min(d, longest)
	}
	return d
}

func (r retrying) check(t *rapid.T, began []time.Duration, err error) {
	const rounding = time.Microsecond
	for i := 1; i < len(began); i++ {
		pause, most := began[i]-began[i-1]-r.takes, r.pause(i)
		least := max(r.asks, time.Duration(float64(most)*(1-r.policy.Jitter)))
		if most = max(most, r.asks); pause > most+rounding || pause < least-rounding {
			t.Fatalf("pause %d was %v, not from %v to %v", i, pause, least, most)
		}
		if p := r.policy; p.Elapsed > 0 && began[i]-began[0] > p.Elapsed {
			t.Fatalf("attempt %d began %v after the first one", i+1, began[i]-began[0])
		}
	}
	n := len(began)
	if succeeded := err == nil; succeeded != (n > r.failures) || n > r.policy.Tries || n > r.failures+1 {
		t.Fatalf("%d attempts, %v", n, err)
	}
	tooLong := r.policy.MaxRetryAfter > 0 && r.asks > r.policy.MaxRetryAfter
	if tooLong && n > 1 {
		t.Fatalf("%d attempts, though the first error asked for too much", n)
	}
	if err == nil || n == r.policy.Tries || tooLong {
		return
	}
	if p := r.policy; p.Elapsed == 0 || began[n-1]-began[0]+r.takes+max(r.asks, r.pause(n))+rounding <= p.Elapsed {
		t.Fatalf("gave up after %d attempts: %v", n, err)
	}
}

// R1, R6: the attempts of a retry follow its policy, and its error has those of its attempts, beside up to three other retries.
func TestR1RetriesKeepToTheirPolicy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := retry.NewBudget(0, 1<<10)
		l := tooltest.New(tooltest.WithSeed(rapid.Uint64().Draw(t, "seed")))
		var checks []func()
		for _, r := range rapid.SliceOfN(retryings, 1, 4).Draw(t, "retries") {
			r.policy.Budget = budget
			var began []time.Duration
			var errs []error
			run := flow.Start(context.Background(), l, retry.Of(r.policy, flow.Then(step.Func(func(as step.Scope, in int) (int, error) {
				began = append(began, l.Now())
				return as.Attempt(), nil
			}), flow.Then(step.Delay[int](r.takes), step.Func(func(_ step.Scope, n int) (int, error) {
				if n <= r.failures {
					errs = append(errs, fault.Wrap("Call", "failed", patient(r.asks)))
					return 0, errs[n-1]
				}
				return n, nil
			})))), 0)
			checks = append(checks, func() {
				_, err := run.Result()
				r.check(t, began, err)
				if err != nil && slices.ContainsFunc(errs, func(one error) bool { return !errors.Is(err, one) }) {
					t.Fatalf("an attempt is missing in %+v", err)
				}
			})
		}
		l.Run()
		for _, check := range checks {
			check()
		}
		if calls, retries := budget.InUse(); calls != 0 || retries != 0 || len(l.Errors()) > 0 {
			t.Fatalf("%d calls and %d retries are left, %v", calls, retries, l.Errors())
		}
	})
}

// R5: however a run ends, its budget gets back what the run took.
func TestR5BudgetIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budget := retry.NewBudget(0.5, 1)
		l := tooltest.New(tooltest.WithSeed(rapid.Uint64().Draw(t, "seed")))
		most := 0
		for _, r := range rapid.SliceOfN(retryings, 1, 6).Draw(t, "retries") {
			r.policy.Budget = budget
			call := flow.Then(step.Delay[int](r.takes), step.Func(func(as step.Scope, n int) (int, error) {
				_, retries := budget.InUse()
				most = max(most, retries)
				if as.Attempt() <= r.failures {
					return 0, fault.New("Call", "failed")
				}
				return n, nil
			}))
			limit := time.Duration(rapid.IntRange(1, 200).Draw(t, "limit")) * time.Millisecond
			run := flow.Start(context.Background(), l, flow.Timeout(limit, retry.Of(r.policy, call)), 0)
			if at := rapid.IntRange(-50, 50).Draw(t, "cancel"); at >= 0 {
				_, _ = l.Deferred(time.Duration(at)*time.Millisecond, func() { run.Cancel(nil) })
			}
		}
		l.Run()
		if calls, retries := budget.InUse(); calls != 0 || retries != 0 || most > 3 || len(l.Errors()) > 0 {
			t.Fatalf("%d calls and %d retries are left of up to %d, %v", calls, retries, most, l.Errors())
		}
	})
}
