package clustertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func mutexOrder(t *testing.T, s Server) {
	m := s.Connect(long).Mutex("m", 1, -1)
	h := newHeld()
	all := []<-chan error{run(t, m, h.step())}
	within(t, h.began)
	var mu sync.Mutex
	var order []string
	for i := range 10 {
		all = append(all, run(t, m, step.Await(func(_ context.Context, in string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, fmt.Sprint(i))
			return in, nil
		})))
		queues(t, m, i+1)
	}
	close(h.let)
	for _, ended := range all {
		wantCode(t, within(t, ended), "")
	}
	if got := strings.Join(order, ""); got != "0123456789" {
		t.Errorf("the order is %s", got)
	}
	wantIdle(t, m)
}

// Each flow has a fence of its own; with one place the fences rise.
func mutexPlaces(t *testing.T, s Server) {
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
				m := s.Connect(long).Mutex(fmt.Sprint("m", places), places, -1)
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
			if len(slices.Compact(fences)) != len(all) || fences[0] == 0 {
				t.Errorf("fences %v aren't unique", fences)
			}
		})
	}
}

func mutexRejects(t *testing.T, s Server) {
	a, b := s.Connect(long).Mutex("m", 1, 0), s.Connect(long).Mutex("m", 1, 0)
	h := newHeld()
	first := run(t, a, h.step())
	within(t, h.began)
	for _, m := range []Guard{a, b} {
		wantCode(t, within(t, run(t, m, h.step())), fault.DefenseRejected)
	}
	close(h.let)
	wantCode(t, within(t, first), "")
	Eventually(t, "the place is free", func() bool { return within(t, run(t, b, h.step())) == nil })
	wantIdle(t, a, b)
}

// A re-entry needs no place, and has the same fence.
func mutexReentry(t *testing.T, s Server) {
	m := s.Connect(long).Mutex("m", 1, 0)
	var fences []uint64
	note := step.Await(func(ctx context.Context, in string) (string, error) {
		fences = append(fences, syncx.Fence(ctx))
		return in, nil
	})
	wantCode(t, within(t, run(t, m, flow.Then(note, syncx.Sync(m, note)))), "")
	if len(fences) != 2 || fences[0] == 0 || fences[0] != fences[1] {
		t.Errorf("fences are %v", fences)
	}
	wantIdle(t, m)
}

// A key that one process holds keeps the other process out, and another key doesn't.
func mutexPerKey(t *testing.T, s Server) {
	type process struct {
		of    map[string]Guard
		keyed *syncx.Keyed[string, string]
	}
	connect := func() process {
		from := s.Connect(long)
		of := map[string]Guard{"a": from.Mutex("a", 1, -1), "b": from.Mutex("b", 1, -1)}
		key := func(name string) string { return name }
		return process{of, syncx.PerKey(key, func(name string) syncx.Guard { return of[name] })}
	}
	h := newHeld()
	begin := func(in process, key string) <-chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := flow.Run(t.Context(), syncx.SyncKeyed(in.keyed, h.step()), key)
			ended <- err
		}()
		return ended
	}
	here, there := connect(), connect()
	var all []<-chan error
	for key, in := range map[string]process{"a": here, "b": there} {
		all = append(all, begin(in, key))
		if within(t, h.began) == 0 {
			t.Error("the section has no fence")
		}
	}
	all = append(all, begin(here, "b"))
	queues(t, here.of["b"], 1)
	if n := here.of["a"].Queued(); n != 0 || len(h.began) != 0 {
		t.Errorf("%d wait for the other key, %d more are inside", n, len(h.began))
	}
	close(h.let)
	for _, ended := range all {
		wantCode(t, within(t, ended), "")
	}
	wantIdle(t, here.of["a"], here.of["b"], there.of["a"], there.of["b"])
}

// A flow that is cancelled in the queue waits no longer, and those that come later get the place.
func mutexWithdraw(t *testing.T, s Server) {
	a, b := s.Connect(long).Mutex("m", 1, -1), s.Connect(long).Mutex("m", 1, -1)
	h := newHeld()
	ends := []<-chan error{run(t, a, h.step())}
	within(t, h.began)
	for _, m := range []Guard{a, b} {
		for range 2 { // each cancel stops the request for a place, and the next flow may come before the request has ended
			ctx, cancel := context.WithCancel(t.Context())
			waits := runIn(ctx, m, h.step())
			queues(t, m, 1)
			cancel()
			wantCode(t, within(t, waits), fault.Cancelled)
			wantQueued(t, m, 0)
		}
		ends = append(ends, run(t, m, h.step()))
		queues(t, m, 1)
	}
	close(h.let)
	for _, ended := range ends {
		wantCode(t, within(t, ended), "")
	}
	wantIdle(t, a, b)
}

// A closed connection fails flows that wait, and flows that come later.
func mutexConnectionClosed(t *testing.T, s Server) {
	p := s.Connect(long)
	m := p.Mutex("m", 1, -1)
	h := newHeld()
	holder := run(t, s.Connect(long).Mutex("m", 1, -1), h.step())
	within(t, h.began)
	waits := run(t, m, h.step())
	queues(t, m, 1)
	p.Close()
	wantCode(t, within(t, waits), fault.CommError)
	wantCode(t, within(t, run(t, m, h.step())), fault.CommError)
	close(h.let)
	wantCode(t, within(t, holder), "")
	wantIdle(t, m)
}

// If a thief takes the place, the section is evicted at the next renewal, and the thief keeps the place.
func placeIsTakenAway(t *testing.T, s Server) {
	p := s.Connect(3 * time.Second)
	m := p.Mutex("m", 1, -1)
	h := newHeld()
	ended := run(t, m, h.step())
	within(t, h.began)
	if err := p.Steal("m", "thief"); err != nil {
		t.Fatal(err)
	}
	err := within(t, ended)
	wantCode(t, err, syncx.LeaseLost)
	if cause := within(t, h.cause); !errors.Is(cause, syncx.LeaseLost) || !errors.Is(err, cluster.ErrLost) {
		t.Errorf("ended with %v, because of %v", err, cause)
	}
	if owner, err := p.Owner("m"); owner != "thief" || err != nil {
		t.Errorf("the place is that of %q, %v", owner, err)
	}
	wantIdle(t, m)
}

func connectionLoss(t *testing.T, s Server) {
	m := s.Connect(time.Second).Mutex("m", 1, -1)
	h := newHeld()
	ended := run(t, m, h.step())
	before := within(t, h.began)
	s.Stop()
	err := within(t, ended)
	wantCode(t, err, syncx.LeaseLost)
	if !errors.Is(err, cluster.ErrExpired) {
		t.Errorf("ended with %v", err)
	}
	next := run(t, m, h.step())
	s.Start()
	if after := within(t, h.began); after <= before {
		t.Errorf("fence %d comes after %d", after, before)
	}
	close(h.let)
	wantCode(t, within(t, next), "")
}

// A restart of the server fails neither the flow that is inside nor those that wait.
func serverRestart(t *testing.T, s Server) {
	m := s.Connect(long).Mutex("m", 1, -1)
	h := newHeld()
	first := run(t, m, h.step())
	before := within(t, h.began)
	second := run(t, m, h.step())
	s.Stop()
	third := run(t, m, h.step())
	s.Start()
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

// A flow that comes during an outage of the server enters after the outage, even if the outage takes longer than a lease.
func longOutage(t *testing.T, s Server) {
	const lease = time.Second
	m := s.Connect(lease).Mutex("m", 1, -1)
	s.Stop()
	waits := run(t, m, pass)
	<-time.After(lease + lease/2)
	s.Start()
	wantCode(t, within(t, waits), "")
	wantIdle(t, m)
}
