package laws_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

const leaseTime = 60 * time.Millisecond

// doorman is a guard that checks that each section with a lease is left once.
type doorman struct {
	*cluster.Mutex
	left  map[*syncx.Ticket]bool // since it was entered last: tickets are used again
	begun map[*syncx.Ticket]bool // given a lease and not left
	twice int                    // tickets that were left more than once
}

func (d *doorman) Enter(t *syncx.Ticket) (bool, error) {
	delete(d.left, t)
	return d.Mutex.Enter(t)
}

func (d *doorman) Lease(t *syncx.Ticket, l syncx.Lease) uint64 {
	d.begun[t] = true
	return d.Mutex.Lease(t, l)
}

func (d *doorman) Leave(t *syncx.Ticket) {
	if d.left[t] {
		d.twice++
	}
	d.left[t] = true
	delete(d.begun, t)
	d.Mutex.Leave(t)
}

// stay is one section as its steps have seen it.
type stay struct {
	fence        uint64
	began, ended time.Duration
	left         int  // calls of the cancel hook
	done         bool // the section has succeeded
	ctx          context.Context
}

type evictions struct {
	*clustertest.Store

	rt     *rapid.T
	stays  []*stay
	stolen map[uint64]time.Duration // when the place of a fence was taken away
}

func (e *evictions) section(d time.Duration) step.Step[int, int] {
	return step.New(func(as step.Scope, in int) step.Next[int] {
		s := &stay{fence: syncx.Fence(as.Context()), began: e.Now(), ctx: as.Context()}
		e.stays = append(e.stays, s)
		body := flow.Then(step.Delay[int](d), step.Map(func(in int) int {
			s.done, s.ended = true, e.Now()
			return in
		}))
		return step.Into(as, flow.OnCancel(body, func(step.Scope) {
			s.left++
			s.ended = e.Now()
		}), in)
	})
}

func (e *evictions) steal(at int) {
	if h := e.Holders[at]; h != nil && h.Ends > e.Now() {
		e.stolen[h.Fence()] = e.Now()
		e.Holders[at] = nil
	}
}

// most returns the largest number of counted sections that were inside at the same time.
func (e *evictions) most(counts func(s, now *stay) bool) int {
	most := 0
	for _, now := range e.stays {
		n := 0
		for _, s := range e.stays {
			if s.began <= now.began && s.ended > now.began && counts(s, now) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// Law 82, G9. A section that loses its lease fails with LeaseLost, its steps are left once with that as the cause, and the
// guard is left once. Fences rise. A section whose place was taken away is over when its process is told of that, and a
// lease later at the latest. Without such sections no more are inside than there are places.
func TestG9EvictionKeepsPlaces(t *testing.T) {
	lost, kept := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		e := &evictions{
			Store: clustertest.NewStore(rapid.IntRange(1, 3).Draw(rt, "places"), leaseTime), rt: rt, stolen: map[uint64]time.Duration{},
		}
		at := func(name string) time.Duration {
			return time.Duration(rapid.IntRange(0, 600).Draw(rt, name)) * time.Millisecond
		}
		var guards []*doorman
		codes := map[fault.Code]int{}
		for range rapid.IntRange(1, 3).Draw(rt, "processes") {
			p := e.Connect()
			d := &doorman{cluster.NewMutex("mutex", p, e.Store, leaseTime, -1), map[*syncx.Ticket]bool{}, map[*syncx.Ticket]bool{}, 0}
			guards = append(guards, d)
			for range rapid.IntRange(1, 4).Draw(rt, "flows") {
				plan := syncx.Sync(d, e.section(at("stay")/4))
				e.After(at("starts"), func() {
					flow.Start(context.Background(), e.Loop, plan, 0).Then(func(_ int, err error) { codes[fault.CodeOf(err)]++ })
				})
			}
			for range rapid.IntRange(0, 2).Draw(rt, "cuts") {
				e.After(at("cut"), func() { p.Cut = true })
			}
			e.After(at("comes back"), func() { p.Cut = false })
			e.After(time.Second, func() { p.Cut = false }) // after all cuts
		}
		for range rapid.IntRange(0, 3).Draw(rt, "thefts") {
			place := rapid.IntRange(0, len(e.Holders)-1).Draw(rt, "of")
			e.After(at("theft"), func() { e.steal(place) })
		}
		e.Run()
		e.judge(codes)
		for _, d := range guards {
			if d.Inside() != 0 || d.Queued() != 0 {
				rt.Fatalf("%d are inside, %d queued in the end", d.Inside(), d.Queued())
			}
			if d.twice != 0 || len(d.begun) != 0 {
				rt.Fatalf("%d tickets have left twice, %d never", d.twice, len(d.begun))
			}
		}
		lost, kept = lost+codes[syncx.LeaseLost], kept+codes[""]
	})
	if lost == 0 || kept == 0 {
		t.Errorf("%d sections were evicted, %d not: the test tests nothing", lost, kept)
	}
}

func (e *evictions) judge(codes map[fault.Code]int) {
	e.rt.Helper()
	ended := map[fault.Code]int{}
	var last uint64
	for _, s := range e.stays {
		if s.fence <= last {
			e.rt.Fatalf("fence %d comes after %d", s.fence, last)
		}
		last = s.fence
		switch {
		case s.done && s.left == 0:
			ended[""]++
		case !s.done && s.left == 1 && errors.Is(context.Cause(s.ctx), syncx.LeaseLost):
			ended[syncx.LeaseLost]++
		default:
			e.rt.Fatalf("a section was left %d times because of %v; done: %v", s.left, context.Cause(s.ctx), s.done)
		}
		if at, ok := e.Told[s.fence]; ok && s.ended > at {
			e.rt.Fatalf("a section that was told at %v that its place is gone has ended at %v", at, s.ended)
		}
		if since, ok := e.stolen[s.fence]; ok && s.ended > since+leaseTime {
			e.rt.Fatalf("a section whose place was taken away at %v has ended at %v", since, s.ended)
		}
	}
	// a place may be lost before its section has begun
	if ended[""] != codes[""] || ended[syncx.LeaseLost] > codes[syncx.LeaseLost] || len(codes) > 2 {
		e.rt.Fatalf("sections have ended as %v, runs as %v", ended, codes)
	}
	valid := func(s, now *stay) bool {
		since, ok := e.stolen[s.fence]
		return !ok || since > now.began
	}
	if n := e.most(valid); n > len(e.Holders) {
		e.rt.Fatalf("%d holders of valid fences were inside of %d places", n, len(e.Holders))
	}
}
