package redis_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

// long is a lease that no test lets pass.
const long = time.Minute

type str = step.Step[string, string]

// held is a section that says when it has begun, with its fence, and stays until it is let
// go or cancelled.
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

// run runs a section on its own loop, and gives its error in the end.
func run(t testing.TB, g syncx.Guard, s str) <-chan error {
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

func wantCode(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if fault.CodeOf(err) != code {
		t.Errorf("ended with %v, want %q", err, code)
	}
}

// Never more are inside than there are places, of all processes; each has another fence,
// and with one place they rise.
func TestMutexAcrossProcesses(t *testing.T) {
	s := serve(t)
	for _, places := range []int{1, 3} {
		t.Run(fmt.Sprint(places), func(t *testing.T) {
			var inside, most atomic.Int64
			var mu sync.Mutex
			var fences []uint64
			work := step.Await(func(ctx context.Context, name string) (string, error) {
				n := inside.Add(1)
				defer inside.Add(-1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				mu.Lock()
				defer mu.Unlock()
				fences = append(fences, syncx.Fence(ctx))
				return name, nil
			})
			var all []<-chan error
			for range 3 {
				m := newProcess(t, s, long).guards.Mutex(fmt.Sprint("across", places), places, -1)
				for range 15 {
					all = append(all, run(t, m, work))
				}
			}
			for _, ended := range all {
				wantCode(t, within(t, ended), "")
			}
			if n := most.Load(); n > int64(places) {
				t.Errorf("%d were inside of %d", n, places)
			}
			if places == 1 && !slices.IsSorted(fences) {
				t.Errorf("fences %v don't rise", fences)
			}
			slices.Sort(fences)
			if len(slices.Compact(fences)) != 45 || fences[0] == 0 {
				t.Errorf("fences %v aren't unique", fences)
			}
		})
	}
}

// G2: with a queue of none a flow is rejected if the place is taken, and only then.
func TestMutexRejects(t *testing.T) {
	s := serve(t)
	a, b := newProcess(t, s, long).guards.Mutex("m", 1, 0), newProcess(t, s, long).guards.Mutex("m", 1, 0)
	h := newHeld()
	first := run(t, a, h.step())
	within(t, h.began)
	for _, m := range []*redis.Mutex{a, b} {
		wantCode(t, within(t, run(t, m, h.step())), fault.DefenseRejected)
	}
	close(h.let)
	wantCode(t, within(t, first), "")
	eventually(t, "the place is free", func() bool { return within(t, run(t, b, h.step())) == nil })
}

// C1: a flow that waits is cancelled at once, and the place goes to others.
func TestMutexCancel(t *testing.T) {
	s := serve(t)
	a, b := newProcess(t, s, long).guards.Mutex("m", 1, -1), newProcess(t, s, long).guards.Mutex("m", 1, -1)
	h := newHeld()
	first := run(t, a, h.step())
	within(t, h.began)
	ctx, cancel := context.WithCancel(t.Context())
	second := runIn(ctx, b, h.step())
	eventually(t, "b waits", func() bool { return b.Queued() == 1 })
	cancel()
	wantCode(t, within(t, second), fault.Cancelled)
	third := run(t, b, h.step())
	eventually(t, "b waits again", func() bool { return b.Queued() == 1 })
	close(h.let)
	wantCode(t, within(t, first), "")
	wantCode(t, within(t, third), "")
	if a.Inside()+b.Inside()+a.Queued()+b.Queued() != 0 {
		t.Error("somebody is left")
	}
}

// G9: a place that somebody else has taken evicts the section.
func TestG9PlaceIsTakenAway(t *testing.T) {
	p := newProcess(t, serve(t), 3*time.Second)
	h := newHeld()
	ended := run(t, p.guards.Mutex("m", 1, -1), h.step())
	within(t, h.began)
	if err := p.client.Set(t.Context(), "{m}:places:0", "thief", 0).Err(); err != nil {
		t.Fatal(err)
	}
	err := within(t, ended)
	wantCode(t, err, syncx.LeaseLost)
	if cause := within(t, h.cause); !errors.Is(cause, syncx.LeaseLost) || !errors.Is(err, cluster.ErrLost) {
		t.Errorf("ended with %v, because of %v", err, cause)
	}
	if v, err := p.client.Get(t.Context(), "{m}:places:0").Result(); v != "thief" {
		t.Errorf("the thief's place: %q, %v", v, err)
	}
}

// A closed connection fails flows that wait, and those that come.
func TestMutexConnectionClosed(t *testing.T) {
	s := serve(t)
	p := newProcess(t, s, long)
	m := p.guards.Mutex("m", 1, -1)
	h := newHeld()
	run(t, newProcess(t, s, long).guards.Mutex("m", 1, -1), h.step())
	within(t, h.began)
	waits := run(t, m, h.step())
	eventually(t, "it waits", func() bool { return m.Queued() == 1 })
	_ = p.client.Close()
	wantCode(t, within(t, waits), fault.CommError)
	wantCode(t, within(t, run(t, m, h.step())), fault.CommError)
	close(h.let)
}

// A server that comes back within the lease is no loss; while it is away flows wait.
func TestServerRestart(t *testing.T) {
	s := serve(t)
	m := newProcess(t, s, long).guards.Mutex("m", 1, -1)
	h := newHeld()
	first := run(t, m, h.step())
	before := within(t, h.began)
	second := run(t, m, h.step())
	s.stop()
	third := run(t, m, h.step())
	s.start()
	close(h.let)
	for _, ended := range []<-chan error{first, second, third} {
		wantCode(t, within(t, ended), "")
	}
	for range 2 {
		if after := within(t, h.began); after <= before {
			t.Errorf("fence %d comes after %d", after, before)
		}
	}
}

// G9: a process that is cut off for a lease evicts its section by itself.
func TestG9ConnectionLoss(t *testing.T) {
	s := serve(t)
	m := newProcess(t, s, time.Second).guards.Mutex("m", 1, -1)
	h := newHeld()
	ended := run(t, m, h.step())
	before := within(t, h.began)
	s.stop()
	err := within(t, ended)
	wantCode(t, err, syncx.LeaseLost)
	if !errors.Is(err, cluster.ErrExpired) {
		t.Errorf("ended with %v", err)
	}
	next := run(t, m, h.step())
	s.start()
	if after := within(t, h.began); after <= before {
		t.Errorf("fence %d comes after %d", after, before)
	}
	close(h.let)
	wantCode(t, within(t, next), "")
}

// A server that forbids what a guard needs fails flows that ask.
func TestServerForbids(t *testing.T) {
	p := newProcess(t, serve(t), long)
	if err := p.client.Do(t.Context(), "ACL", "SETUSER", "default", "-set", "-eval", "-evalsha").Err(); err != nil {
		t.Fatal(err)
	}
	wantCode(t, within(t, run(t, p.guards.Mutex("m", 1, -1), pass)), fault.CommError)
	wantCode(t, within(t, run(t, p.guards.Throttle("m", 1, time.Second, -1), pass)), fault.CommError)
}

// G2: a flow that is inside enters again without another place.
func TestMutexReentry(t *testing.T) {
	m := newProcess(t, serve(t), long).guards.Mutex("m", 1, -1)
	inner := step.Await(func(ctx context.Context, in string) (string, error) { return fmt.Sprint(syncx.Fence(ctx) > 0), nil })
	got, err := flow.Run(t.Context(), syncx.Sync(m, syncx.Sync(m, inner)), "")
	if got != "true" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
