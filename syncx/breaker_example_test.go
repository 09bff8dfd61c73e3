package syncx_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

// After two failures in a row the server isn't called for half a minute.
func ExampleNewBreaker() {
	loop := tooltest.New()
	breaker := syncx.NewBreaker(syncx.BreakerPolicy{Name: "payments", Failures: 2, Pause: 30 * time.Second})
	pay := syncx.Sync(breaker, flow.Named("pay", step.Func(func(_ step.Scope, amount int) (string, error) {
		if loop.Now() < time.Minute {
			return "", fault.New(fault.ConnectError, "server is down")
		}
		return fmt.Sprint("paid ", amount), nil
	})))
	for range 8 {
		run := flow.Start(context.Background(), loop, pay, 7)
		loop.Advance(10 * time.Second)
		fmt.Println(run.Result())
	}
	// Output:
	//  ConnectError: server is down (at 0/0 "pay")
	//  ConnectError: server is down (at 0/0 "pay")
	//  CircuitOpen (at 0): breaker payments is open, try again in 20s
	//  CircuitOpen (at 0): breaker payments is open, try again in 10s
	//  ConnectError: server is down (at 0/0 "pay")
	//  CircuitOpen (at 0): breaker payments is open, try again in 20s
	//  CircuitOpen (at 0): breaker payments is open, try again in 10s
	// paid 7 <nil>
}

// The breaker opens when half of the calls of the last minute, if there were at least twenty, have failed or took longer
// than five seconds. A wrong request isn't counted as a failure of the server.
func ExampleBreakerPolicy() {
	breaker := syncx.NewBreaker(syncx.BreakerPolicy{
		Rate: 0.5, MinSections: 20, Window: time.Minute,
		Slow:    5 * time.Second,
		Failure: func(err error) bool { return !errors.Is(err, fault.InvalidRequest) },
		Probes:  3,
	})
	wrong := step.Func(func(step.Scope, int) (int, error) { return 0, fault.InvalidRequest })
	_, err := flow.Run(context.Background(), syncx.Sync(breaker, flow.Named("wrong", wrong)), 7)
	fmt.Println(err)
	fmt.Println(breaker.Counts())
	// Output:
	// InvalidRequest (at 0/0 "wrong")
	// 1 0
}

func ExampleBreakerState() {
	breaker := syncx.NewBreaker(syncx.BreakerPolicy{OnChange: func(from, to syncx.BreakerState) {
		fmt.Println(from, "to", to)
	}})
	down := syncx.Sync(breaker, step.Func(func(step.Scope, int) (int, error) { return 0, fault.ConnectError }))
	for breaker.State() != syncx.Open {
		_, _ = flow.Run(context.Background(), down, 7)
	}
	// Output: closed to open
}

var patient = retry.Policy{
	PauseAfter: func(_ int, err error) time.Duration {
		if refused, ok := errors.AsType[*syncx.Refusal](err); ok {
			return refused.After
		}
		return -1
	},
}

// A retry waits as long as the Refusal says.
func ExampleRefusal() {
	breaker := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1})
	loop := tooltest.New()
	call := syncx.Sync(breaker, step.Func(func(step.Scope, string) (time.Duration, error) {
		if loop.Now() == 0 {
			return 0, fault.ConnectError
		}
		return loop.Now(), nil
	}))
	run := flow.Start(context.Background(), loop, retry.Of(patient, call), "")
	loop.Run()
	fmt.Println(run.Result())
	// Output: 1m0s <nil>
}

// diary lets everybody in and records the outcomes.
type diary struct{ entries []string }

func (*diary) Enter(*syncx.Ticket) (bool, error) { return true, nil }
func (*diary) Leave(*syncx.Ticket)               {}
func (*diary) Withdraw(*syncx.Ticket)            {}

func (d *diary) Learn(t *syncx.Ticket, o syncx.Outcome) {
	d.entries = append(d.entries, fmt.Sprint(t.Path(), " ", o.Err, " ", o.Took))
}

// A guard of one's own gets the outcomes of its sections.
func ExampleOutcome() {
	d := new(diary)
	loop := tooltest.New()
	flow.Start(context.Background(), loop, syncx.Sync(d, after(time.Second)), "a")
	flow.Start(context.Background(), loop, flow.Timeout(time.Minute, syncx.Sync(d, after(time.Hour))), "b")
	loop.Run()
	for _, entry := range d.entries {
		fmt.Println(entry)
	}
	// Output:
	// 0 <nil> 1s
	// 0/0 Timeout: step 0 took longer than 1m0s 1m0s
}

// The bucket lets five calls through at once, then one every hundred milliseconds.
func ExampleNewTokenBucket() {
	loop := tooltest.New()
	calls := syncx.NewTokenBucket(10, time.Second, 5, -1)
	call := syncx.Sync(calls, step.Map(func(n int) time.Duration { return loop.Now() }))
	for n := range 8 {
		flow.Start(context.Background(), loop, call, n).Then(func(at time.Duration, _ error) { fmt.Print(at, " ") })
	}
	loop.Run()
	// Output: 0s 0s 0s 0s 0s 100ms 200ms 300ms
}

// Each host has a mutex of its own with two places, for any number of hosts.
func ExamplePerKey() {
	hosts := syncx.PerKey(
		func(url string) string { host, _, _ := strings.Cut(url, "/"); return host },
		func(string) syncx.Guard { return syncx.NewMutex(2, -1) },
	).Keep(100)
	loop := tooltest.New()
	fetch := syncx.SyncKeyed(hosts, after(10*time.Millisecond))
	for _, url := range []string{"a/1", "a/2", "a/3", "b/1"} {
		flow.Start(context.Background(), loop, fetch, url).Then(func(url string, _ error) { fmt.Println(url, "at", loop.Now()) })
	}
	loop.Run()
	fmt.Println(hosts.Guards())
	// Output:
	// a/1 at 10ms
	// a/2 at 10ms
	// b/1 at 10ms
	// a/3 at 20ms
	// 0 2
}

// A page for operators shows the breakers that aren't closed.
func ExampleKeyed_All() {
	breakers := syncx.PerKey(
		func(url string) string { host, _, _ := strings.Cut(url, "/"); return host },
		func(string) syncx.Guard { return syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1}) },
	)
	get := syncx.SyncKeyed(breakers, step.Func(func(_ step.Scope, url string) (string, error) {
		if strings.HasPrefix(url, "down/") {
			return "", fault.ConnectError
		}
		return "page", nil
	}))
	for _, url := range []string{"up/1", "down/1", "up/2"} {
		_, _ = flow.Run(context.Background(), get, url)
	}
	for host, g := range breakers.All() {
		if b, ok := g.(*syncx.Breaker); ok && b.State() != syncx.Closed {
			fmt.Println(host, b.State())
		}
	}
	// Output: down open
}

// Each server has a breaker of its own: a server that is down doesn't affect the others.
func ExampleSyncKeyed() {
	type call struct{ server, path string }
	breakers := syncx.PerKey(
		func(c call) string { return c.server },
		func(server string) syncx.Guard {
			return syncx.NewBreaker(syncx.BreakerPolicy{Name: server, Failures: 1})
		},
	)
	get := syncx.SyncKeyed(breakers, step.Func(func(_ step.Scope, c call) (string, error) {
		if c.server == "down" {
			return "", fault.ConnectError
		}
		return c.server + c.path, nil
	}))
	for _, server := range []string{"down", "down", "up"} {
		v, err := flow.Run(context.Background(), get, call{server, "/index"})
		fmt.Printf("%q, refused: %v\n", v, errors.Is(err, syncx.CircuitOpen))
	}
	// Output:
	// "", refused: false
	// "", refused: true
	// "up/index", refused: false
}
