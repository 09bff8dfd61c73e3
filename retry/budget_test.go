package retry_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func outage(t *testing.T, n int, p retry.Policy) (attempts, refused int) {
	t.Helper()
	l := tooltest.New()
	plan := retry.Of(p, flow.Then(step.Delay[int](time.Second), failing(&attempts)))
	runs := make([]*flow.Running[int], n)
	for i := range runs {
		runs[i] = flow.Start(t.Context(), l, plan, i)
	}
	for _, run := range runs {
		_, err := plantest.Wait(t, l, run)
		plantest.WantCode(t, err, fault.ConnectError)
		if errors.Is(err, retry.ErrBudget) {
			refused++
		}
	}
	if calls, retries := p.Budget.InUse(); calls != 0 || retries != 0 {
		t.Errorf("the budget has %d calls, %d retries in the end", calls, retries)
	}
	return attempts, refused
}

func TestR5Budget(t *testing.T) {
	for _, tt := range []struct {
		reason            string
		calls             int
		share             float64
		floor             int
		attempts, refused int
	}{
		// calls that fail first leave the budget first, so fewer calls share it then
		{"nothing is allowed", 10, 0, 0, 10, 10},
		{"a floor for few calls", 1, 0, 1, 3, 0},
		{"more calls than the floor", 10, 0, 2, 14, 8},
		{"a share of the calls", 10, 0.2, 0, 12, 10},
		{"a share that is enough", 10, 1, 0, 30, 0},
		{"a share that no float is exactly", 100, 0.29, 0, 129, 100},
	} {
		attempts, refused := outage(t, tt.calls, retry.Policy{Budget: retry.NewBudget(tt.share, tt.floor)})
		if attempts != tt.attempts || refused != tt.refused {
			t.Errorf("%s: %d attempts, %d refused; want %d, %d", tt.reason, attempts, refused, tt.attempts, tt.refused)
		}
	}
}

// R5: a retry goes on after its pause, though the budget is exhausted meanwhile.
func TestR5ExhaustedBudgetEndsNothing(t *testing.T) {
	budget := retry.NewBudget(0, 1)
	p := retry.Policy{Tries: 2, Pause: time.Second, Budget: budget}
	l := tooltest.New()
	slow := flow.Start(t.Context(), l, retry.Of(p, flow.Then(flaky(errDown), step.Delay[int](time.Hour))), 7)
	l.Advance(time.Second / 2)
	if calls, retries := budget.InUse(); calls != 1 || retries != 1 {
		t.Errorf("during the pause the budget has %d calls, %d retries", calls, retries)
	}
	other := flow.Start(t.Context(), l, retry.Of(p, flaky(errDown)), 8)
	l.Advance(time.Second / 4)
	if _, err := other.Result(); !errors.Is(err, retry.ErrBudget) || !errors.Is(err, errDown) {
		t.Errorf("the other one: %v", err)
	}
	if got, err := plantest.Wait(t, l, slow); got != 7 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}

func TestR5BudgetOnManyLoops(t *testing.T) {
	budget := retry.NewBudget(0.5, 3)
	plan := retry.Of(retry.Policy{Tries: 5, Budget: budget}, step.Func(func(as step.Scope, n int) (int, error) {
		if n%(as.Attempt()+1) != 0 {
			return 0, errDown
		}
		return n, nil
	}))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for n := range 200 {
				_, _ = flow.Run(t.Context(), plan, n)
			}
		})
	}
	all.Wait()
	if calls, retries := budget.InUse(); calls != 0 || retries != 0 {
		t.Errorf("the budget has %d calls, %d retries", calls, retries)
	}
}
