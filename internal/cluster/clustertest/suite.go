// Package clustertest has the tests that guards shared by several processes have in common.
//
// [Test] runs them. Most use connections of one process. Where a process has to die or stall, the test's own
// binary is started again as a worker, see [Main]: it enters sections of a guard and reports them to the test over a
// connection on the loopback interface.
package clustertest

import (
	"context"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Server is the server of one test. It ends with the test.
type Server interface {
	// Address returns the address that a worker is given.
	Address() string
	// Connect returns a new connection, whose guards have leases of the given length. The connection is closed at the end of
	// the test.
	Connect(lease time.Duration) Process
	// Stop ends the server, and Start starts it again at its address, with what it had confirmed.
	Stop()
	Start()
}

// Process stands for a process: it has a connection of its own to the server, and guards.
type Process struct {
	Guards

	Close func()                            // closes the connection
	Owner func(name string) (string, error) // returns the value of the first place at the server, or "" if the place has none
	Steal func(name, by string) error       // gives the first place of the guard with that name to the holder called by

	Waiting func(name string) (int, error) // returns how many wait in the queue of the server
	Ghosts  func(name string, n int) error // puts n processes that don't exist into the queue
}

// Guards makes the guards of one connection.
type Guards struct {
	Mutex    func(name string, maximum, maxQueue int) Guard
	Throttle func(name string, maximum int, period time.Duration, maxQueue int) Guard
	Limiter  func(name string, limits syncx.Limits) Guard
}

// Guard is a guard of a process.
type Guard interface {
	syncx.Guard
	Err() error
	Inside() int
	Queued() int
}

// Of returns Guards that call the methods of g, whose results have types of their own.
func Of[M, H, L Guard](g interface {
	Mutex(name string, maximum, maxQueue int) M
	Throttle(name string, maximum int, period time.Duration, maxQueue int) H
	Limiter(name string, limits syncx.Limits) L
},
) Guards {
	return Guards{
		Mutex: func(name string, maximum, maxQueue int) Guard { return g.Mutex(name, maximum, maxQueue) },
		Throttle: func(name string, maximum int, period time.Duration, maxQueue int) Guard {
			return g.Throttle(name, maximum, period, maxQueue)
		},
		Limiter: func(name string, limits syncx.Limits) Guard { return g.Limiter(name, limits) },
	}
}

// Test runs the tests. Each of them has a server of its own.
func Test(t *testing.T, serve func(testing.TB) Server) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, Server)
	}{
		{"MutexOrder", mutexOrder},
		{"MutexPlaces", mutexPlaces},
		{"MutexRejects", mutexRejects},
		{"MutexReentry", mutexReentry},
		{"MutexPerKey", mutexPerKey},
		{"MutexWithdraw", mutexWithdraw},
		{"MutexConnectionClosed", mutexConnectionClosed},
		{"ProcessOrder", processOrder},
		{"FirstIsDead", firstIsDead},
		{"G9PlaceIsTakenAway", placeIsTakenAway},
		{"G9ConnectionLoss", connectionLoss},
		{"ServerRestart", serverRestart},
		{"LongOutage", longOutage},
		{"G9Takeover", takeover},
		{"G9Storm/1", func(t *testing.T, s Server) { storm(t, s, 1) }},
		{"G9Storm/2", func(t *testing.T, s Server) { storm(t, s, 2) }},
		{"ThrottleEntries", throttleEntries},
		{"ThrottleRate", throttleRate},
		{"ThrottleOfALateProcess", throttleOfALateProcess},
		{"ThrottleWithdraw", throttleWithdraw},
		{"ThrottleServerIsGone", throttleServerIsGone},
		{"LimiterBoundsBoth", limiterBoundsBoth},
		{"LimiterWithdraw", limiterWithdraw},
		{"NotWellFormed", notWellFormed},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, serve(t)) })
	}
}

// long is the length of a lease that doesn't expire in any test.
const long = time.Minute

// late is how long a test waits for something before it fails.
const late = time.Minute

type str = step.Step[string, string]

var pass = step.Map(func(name string) string { return name })

// held is a section that reports that it has begun, with its fence, and stays until it is let go or cancelled.
type held struct {
	began chan uint64
	let   chan struct{}
	cause chan error // of a cancel
}

func newHeld() *held {
	return &held{make(chan uint64, 100), make(chan struct{}), make(chan error, 100)}
}

func (h *held) step() str {
	return step.Await(func(ctx context.Context, name string) (string, error) {
		h.began <- syncx.Fence(ctx)
		select {
		case <-h.let:
			return name, nil
		case <-ctx.Done():
			h.cause <- context.Cause(ctx)
			return "", ctx.Err()
		}
	})
}

func run(t *testing.T, g syncx.Guard, s str) <-chan error {
	t.Helper()
	return runIn(t.Context(), g, s)
}

func runIn(ctx context.Context, g syncx.Guard, s str) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := flow.Run(ctx, syncx.Sync(g, s), "")
		ended <- err
	}()
	return ended
}

func within[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(late):
		t.Fatalf("nothing in %v", late)
		panic("unreachable")
	}
}

// Eventually waits until ok returns true, and fails the test if that takes too long.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(late); !ok(); <-time.After(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in %v: %s", late, what)
		}
	}
}

func queues(t *testing.T, g Guard, n int) {
	t.Helper()
	Eventually(t, "a flow waits", func() bool { return g.Queued() == n })
}

func wantCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("ended with %v, want %q", err, code)
	}
}

func wantQueued(t *testing.T, g Guard, n int) {
	t.Helper()
	if got := g.Queued(); got != n {
		t.Errorf("%d wait, want %d", got, n)
	}
}

func wantIdle(t *testing.T, guards ...Guard) {
	t.Helper()
	for _, g := range guards {
		if g.Inside() != 0 || g.Queued() != 0 {
			t.Errorf("%d are inside, %d wait", g.Inside(), g.Queued())
		}
	}
}
