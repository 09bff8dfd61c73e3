package syncx_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool/tooltest"
)

func after(d time.Duration) step.Step[string, string] {
	return step.New(func(as step.Scope, in string) step.Next[string] {
		return step.Wait(as, func(done step.Done[string]) {
			if _, err := as.Loop().Deferred(d, func() { done.Succeed(in) }); err != nil {
				done.Fail(err)
			}
		})
	})
}

func say(loop *tooltest.Loop) step.Step[string, string] {
	return step.Map(func(in string) string {
		fmt.Println(in, "at", loop.Now())
		return in
	})
}

// A whole plan is guarded; its input and its result pass unchanged.
func ExampleSync() {
	accounts := syncx.NewMutex(1, -1)
	update := flow.Then(step.Map(strings.TrimSpace), step.Map(strings.ToUpper))
	fmt.Println(flow.Run(context.Background(), syncx.Sync(accounts, update), " ann "))
	// Output: ANN <nil>
}

// Two flows may be inside, and one more may wait.
func ExampleNewMutex() {
	loop := tooltest.New()
	backend := syncx.NewMutex(2, 1)
	call := syncx.Sync(backend, flow.Then(say(loop), after(10*time.Millisecond)))
	for _, name := range []string{"a", "b", "c", "d"} {
		flow.Start(context.Background(), loop, call, name).Then(func(_ string, err error) {
			if errors.Is(err, fault.DefenseRejected) {
				fmt.Println(name, "is rejected")
			}
		})
	}
	loop.Run()
	// Output:
	// a at 0s
	// b at 0s
	// d is rejected
	// c at 10ms
}

func ExampleMutex_Inside() {
	m := syncx.NewMutex(1, 0)
	look := step.Map(func(string) int { return m.Inside() })
	fmt.Println(flow.Run(context.Background(), syncx.Sync(m, look), ""))
	fmt.Println(m.Inside(), m.Queued())
	// Output:
	// 1 <nil>
	// 0 0
}

// The constructor takes any numbers; plans that use the guard report wrong ones.
func ExampleMutex_Err() {
	m := syncx.NewMutex(0, -1)
	fmt.Println(m.Err())
	_, err := flow.Run(context.Background(), syncx.Sync(m, step.Map(strings.ToUpper)), "")
	fmt.Println(errors.Is(err, fault.InvalidRequest), fault.InfoOf(err)) // the text also has the place of the Sync
	// Output:
	// InvalidRequest: mutex: the maximum must be at least 1, got 0
	// true mutex: the maximum must be at least 1, got 0
}

// The throttle lets two flows in per window of 100 ms; the others wait for later windows.
func ExampleNewThrottle() {
	loop := tooltest.New()
	rate := syncx.NewThrottle(2, 100*time.Millisecond, -1)
	call := syncx.Sync(rate, say(loop))
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		flow.Start(context.Background(), loop, call, name)
	}
	loop.Run()
	// Output:
	// a at 0s
	// b at 0s
	// c at 100ms
	// d at 100ms
	// e at 200ms
}

// The limiter lets one flow in at a time, at most two per window of 100 ms, and queues none for the rate.
func ExampleNewLimiter() {
	loop := tooltest.New()
	front := syncx.NewLimiter(syncx.Limits{
		Concurrent: 1, MaxQueue: 10,
		Rate: 2, Period: 100 * time.Millisecond, Burst: 0,
	})
	serve := syncx.Sync(front, flow.Then(say(loop), after(10*time.Millisecond)))
	for _, name := range []string{"a", "b", "c"} {
		flow.Start(context.Background(), loop, serve, name).Then(func(_ string, err error) {
			if err != nil {
				fmt.Println(name, err)
			}
		})
	}
	loop.Run()
	// Output:
	// a at 0s
	// b at 10ms
	// c DefenseRejected: Throttle queue limit (at 0): limiter: rate: 0 may wait
}

// Two flows take two mutexes in different orders.
func ExampleCycle() {
	loop := tooltest.New()
	a, b := syncx.NewMutex(1, -1), syncx.NewMutex(1, -1)
	moment := after(time.Millisecond)
	one := syncx.Sync(a, flow.Then(moment, syncx.Sync(b, moment)))
	other := syncx.Sync(b, flow.Then(moment, syncx.Sync(a, moment)))
	report := func(_ string, err error) {
		if cycle, ok := errors.AsType[*syncx.Cycle](err); ok {
			for _, w := range cycle.Waits {
				fmt.Printf("step %s of run %d waits for what step %s of run %d holds\n",
					w.Waiting.Path, w.Run, w.Holding.Path, w.HoldingRun)
			}
			return
		}
		fmt.Println("the other went on:", err)
	}
	flow.Start(context.Background(), loop, one, "").Then(report)
	flow.Start(context.Background(), loop, other, "").Then(report)
	loop.Run()
	// Output:
	// step 0/1 of run 0 waits for what step 0 of run 1 holds
	// step 0/1 of run 1 waits for what step 0 of run 0 holds
	// the other went on: <nil>
}

func ExampleWait() {
	link := syncx.Wait{
		Guard:   "mutex (bank.go:12)",
		Waiting: fault.Frame{Path: "0/1", Name: "pay"}, Run: 0,
		Holding: fault.Frame{Path: "0", Name: "audit"}, HoldingRun: 1,
	}
	fmt.Println(&syncx.Cycle{Waits: []syncx.Wait{link}})
	// Output: run 0 step 0/1 pay waits for mutex (bank.go:12), held by run 1 step 0 audit
}

// With AllowCycles flows wait for each other; here a timeout ends that.
func ExampleMutex_AllowCycles() {
	loop := tooltest.New()
	m := syncx.NewMutex(1, -1).AllowCycles()
	again := flow.Timeout(time.Second, syncx.Sync(m, after(0)))
	s := syncx.Sync(m, flow.Par(again))
	flow.Start(context.Background(), loop, s, "").Then(func(_ []string, err error) {
		fmt.Println(errors.Is(err, fault.Timeout))
	})
	loop.Run()
	// Output: true
}

// Turnstile is a guard of one's own: it queues flows until it is opened, then lets everybody in.
type Turnstile struct {
	mu     sync.Mutex
	open   bool
	queued []*syncx.Ticket
}

func (g *Turnstile) Enter(t *syncx.Ticket) (entered bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open {
		return true, nil
	}
	g.queued = append(g.queued, t)
	return false, nil
}

func (g *Turnstile) Leave(*syncx.Ticket) {}

func (g *Turnstile) Withdraw(t *syncx.Ticket) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, queued := range g.queued {
		if queued == t {
			g.queued = append(g.queued[:i], g.queued[i+1:]...)
			return
		}
	}
}

func (g *Turnstile) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = true
	for _, t := range g.queued {
		t.Grant() // returns false if the step doesn't wait any more, which doesn't matter here
	}
	g.queued = nil
}

func (g *Turnstile) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, t := range g.queued {
		t.Refuse(fault.New("Closed", "come back tomorrow"))
	}
	g.queued = nil
}

func ExampleGuard() {
	loop := tooltest.New()
	var door Turnstile
	visit := syncx.Sync(&door, say(loop))
	flow.Start(context.Background(), loop, visit, "early")
	loop.Advance(time.Hour)
	door.Open()
	flow.Start(context.Background(), loop, visit, "late")
	loop.Run()
	// Output:
	// early at 1h0m0s
	// late at 1h0m0s
}

// A guard of one's own decides on each ticket, at once or later.
func ExampleTicket() {
	loop := tooltest.New()
	var door Turnstile
	visit := syncx.Sync(&door, say(loop))
	flow.Start(context.Background(), loop, visit, "late").Then(func(_ string, err error) { fmt.Println(err) })
	loop.Run()
	door.Close()
	loop.Run()
	// Output: Closed: come back tomorrow (at 0)
}

// Diary prints where its sections are in the plan, and lets everybody in.
type Diary struct{}

func (*Diary) Enter(t *syncx.Ticket) (entered bool, err error) {
	fmt.Println("enter at", t.Path(), "again:", t.Reentry())
	return true, nil
}

func (*Diary) Leave(t *syncx.Ticket)  { fmt.Println("leave at", t.Path()) }
func (*Diary) Withdraw(*syncx.Ticket) {}

// A flow that is inside may enter again, which the guard can see.
func ExampleTicket_Reentry() {
	diary := new(Diary)
	write := step.Map(strings.ToUpper)
	p := syncx.Sync(diary, flow.Then(write, syncx.Sync(diary, write)))
	fmt.Println(flow.Run(context.Background(), p, "dear"))
	// Output:
	// enter at 0 again: false
	// enter at 0/1 again: true
	// leave at 0/1
	// leave at 0
	// DEAR <nil>
}

func ExampleMutex_Capacity() {
	fmt.Println(syncx.NewMutex(3, 0).Capacity())
	fmt.Println(syncx.NewThrottle(10, time.Second, 0).Capacity())
	fmt.Println(syncx.NewLimiter(syncx.Limits{Concurrent: 2, Rate: 10}).Capacity())
	fmt.Println(syncx.NewTokenBucket(10, time.Second, 20, 0).Capacity())
	// Output:
	// 3
	// 10
	// 2
	// 20
}

// Two of three calls take a minute each. The third one is turned away after a second.
func ExampleMaxWait() {
	loop := tooltest.New()
	calls := syncx.NewMutex(2, -1)
	call := syncx.Sync(syncx.MaxWait(time.Second, calls), after(time.Minute))
	for _, name := range []string{"a", "b", "c"} {
		flow.Start(context.Background(), loop, call, name).Then(func(_ string, err error) {
			fmt.Println(name, errors.Is(err, fault.DefenseRejected), "at", loop.Now())
		})
	}
	loop.Run()
	// Output:
	// c true at 1s
	// a false at 1m0s
	// b false at 1m0s
}
