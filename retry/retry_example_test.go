package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// The third attempt succeeds. In a test the pauses take no time.
func ExampleOf() {
	fetch := step.Func(func(as step.Scope, name string) (string, error) {
		fmt.Println("attempt", as.Attempt(), "at", as.Loop().Host().Now())
		if as.Attempt() < 3 {
			return "", fault.New(fault.ConnectError, "server is down")
		}
		return "hello " + name, nil
	})
	plan := retry.Of(retry.Policy{Tries: 5, Pause: time.Second, Factor: 2}, fetch)

	l := tooltest.New()
	run := flow.Start(context.Background(), l, plan, "Ann")
	l.Run()
	fmt.Println(run.Result())
	// Output:
	// attempt 1 at 0s
	// attempt 2 at 1s
	// attempt 3 at 3s
	// hello Ann <nil>
}

// The first attempt asks the primary server, the second one its replica.
func ExampleOfAttempt() {
	servers := []step.Step[int, string]{
		step.Func(func(step.Scope, int) (string, error) {
			return "", fault.New(fault.ConnectError, "primary is down")
		}),
		step.Func(func(_ step.Scope, id int) (string, error) {
			return fmt.Sprintf("user %d from the replica", id), nil
		}),
	}
	plan := retry.OfAttempt(retry.Policy{Tries: 2}, func(attempt int) step.Step[int, string] {
		return servers[attempt-1]
	})
	fmt.Println(flow.Run(context.Background(), plan, 7))
	// Output: user 7 from the replica <nil>
}

// A body that blocks gets a context instead of a scope.
func ExampleAttempt() {
	plan := retry.Of(retry.Policy{}, step.Await(func(ctx context.Context, in string) (string, error) {
		if retry.Attempt(ctx) == 1 {
			return "", fault.Timeout
		}
		return fmt.Sprintf("%s, attempt %d", in, retry.Attempt(ctx)), nil
	}))
	fmt.Println(flow.Run(context.Background(), plan, "done"))
	// Output: done, attempt 2 <nil>
}

// busy is the error of a server that says when to ask again.
type busy struct{ after time.Duration }

func (b *busy) Error() string { return fmt.Sprint("busy, try again after ", b.after) }

// RetryAfter asks a retry for a pause.
func (b *busy) RetryAfter() (time.Duration, bool) { return b.after, true }

// The pause is the one that the server asks for, which is longer than that of the policy.
func ExamplePolicy() {
	policy := retry.Policy{
		Tries: 2, Pause: time.Second,
		If: func(err error) bool { _, ok := errors.AsType[*busy](err); return ok },
	}
	l := tooltest.New()
	ask := step.Func(func(_ step.Scope, in int) (int, error) { return in, &busy{time.Minute} })
	run := flow.Start(context.Background(), l, retry.Of(policy, flow.Named("ask", ask)), 1)
	l.Run()
	_, err := run.Result()
	fmt.Println(err)
	fmt.Println("after", l.Now())
	// Output:
	// busy, try again after 1m0s (at 0/0/0 "ask") (and 1 more)
	// after 1m0s
}

// delivery is a row of an outbox.
type delivery struct {
	tries int
	due   time.Time // of the next try
	dead  bool
}

func (d *delivery) failed(now time.Time, err error) {
	policy := retry.Policy{Tries: 10, Pause: time.Second, Factor: 2, MaxPause: time.Hour, MaxRetryAfter: time.Hour}
	d.tries++
	pause, again := policy.NextRetry(d.tries, err)
	d.due, d.dead = now.Add(pause), !again
}

// The count of tries and the time of the next one are in a table.
func ExamplePolicy_NextRetry() {
	now := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	for _, d := range []struct {
		tries int
		err   error
	}{
		{0, errors.New("broken pipe")},
		{8, errors.New("broken pipe")},
		{8, &busy{10 * time.Minute}},
		{8, fault.New(fault.Unauthorized, "who are you?")},
		{9, errors.New("broken pipe")},
	} {
		row := delivery{tries: d.tries}
		row.failed(now, d.err)
		fmt.Println(row.tries, row.due.Sub(now), row.dead)
	}
	// Output:
	// 1 1s false
	// 9 4m16s false
	// 9 10m0s false
	// 9 0s true
	// 10 0s true
}

// Another attempt follows the same errors as without If, except one.
func ExamplePermanent() {
	errClosed := errors.New("the shop is closed")
	policy := retry.Policy{If: func(err error) bool { return !retry.Permanent(err) && !errors.Is(err, errClosed) }}
	for _, err := range []error{errors.New("broken pipe"), fault.New(fault.Unauthorized, "who are you?"), errClosed} {
		attempts := 0
		_, _ = flow.Run(context.Background(), retry.Of(policy, step.Func(func(_ step.Scope, in int) (int, error) {
			attempts++
			return in, err
		})), 1)
		fmt.Println(err, "-", attempts)
	}
	// Output:
	// broken pipe - 3
	// Unauthorized: who are you? - 1
	// the shop is closed - 1
}

// While the server is down, one call in five may try again.
func ExampleNewBudget() {
	budget := retry.NewBudget(0.2, 0)
	down := flow.Then(step.Delay[int](time.Second), step.Func(func(step.Scope, int) (int, error) {
		return 0, fault.New(fault.ConnectError, "server is down")
	}))
	plan := retry.Of(retry.Policy{Tries: 2, Pause: time.Second, Budget: budget}, down)
	l := tooltest.New()
	for n := range 100 {
		flow.Start(context.Background(), l, plan, n)
	}
	l.Advance(1500 * time.Millisecond)
	fmt.Println(budget.InUse())
	l.Run()
	fmt.Println(budget.InUse())
	// Output:
	// 20 20
	// 0 0
}

// A count of retries, for metrics.
func ExamplePolicy_onRetry() {
	retries := 0
	policy := retry.Policy{Tries: 4, Pause: time.Second, OnRetry: func(attempt int, err error, pause time.Duration) {
		retries++
		fmt.Println("attempt", attempt, "failed, again in", pause)
	}}
	down := step.New(func(as step.Scope, in int) step.Next[int] {
		if as.Attempt() < 3 {
			return step.Fail[int](fault.New(fault.ConnectError, "server is down"))
		}
		return step.Succeed(in)
	})
	l := tooltest.New()
	run := flow.Start(context.Background(), l, retry.Of(policy, down), 42)
	l.Run()
	fmt.Println(run.Result())
	fmt.Println(retries, "retries")
	// Output:
	// attempt 1 failed, again in 1s
	// attempt 2 failed, again in 1s
	// 42 <nil>
	// 2 retries
}
