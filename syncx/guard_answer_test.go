package syncx_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// checkedGuard checks the results of inner's Enter. It is well formed even if inner isn't.
type checkedGuard struct {
	inner syncx.Guard
	t     *testing.T
	wrong int
}

func (g *checkedGuard) Enter(t *syncx.Ticket) (bool, error) {
	in, err := g.inner.Enter(t)
	if err == nil {
		return in, nil
	}
	g.wrong++
	if in {
		g.t.Errorf("entered, with the error %v", err)
	}
	return false, err
}

func (g *checkedGuard) Leave(t *syncx.Ticket)    { g.inner.Leave(t) }
func (g *checkedGuard) Withdraw(t *syncx.Ticket) { g.inner.Withdraw(t) }

// An Enter that returns an error returns false with it.
func TestErrorsLetNobodyIn(t *testing.T) {
	for _, c := range []struct {
		name  string
		guard syncx.Guard
		flows int
	}{
		{"a mutex that isn't well formed", new(syncx.Mutex), 1},
		{"a throttle that isn't well formed", new(syncx.Throttle), 1},
		{"a limiter that isn't well formed", new(syncx.Limiter), 1},
		{"a full mutex", syncx.NewMutex(1, 0), 2},
		{"a full throttle", syncx.NewThrottle(1, ms, 0), 2},
		{"no place in a limiter", syncx.NewLimiter(syncx.Limits{Rate: 2}), 2},
		{"no entry in a limiter", syncx.NewLimiter(syncx.Limits{Concurrent: 2}), 2},
		{"two mutexes for one ticket", &greedy{eitherGuard{syncx.NewMutex(1, 0), syncx.NewMutex(1, 0)}}, 1},
		{"two throttles for one ticket", &greedyRate{eitherRate{syncx.NewThrottle(1, ms, 0), syncx.NewThrottle(1, ms, 0)}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			g := &checkedGuard{inner: c.guard, t: t}
			s := syncx.Sync(g, quiet(h, ms))
			for range c.flows {
				h.start("a", s)
			}
			h.Run()
			if g.wrong != 1 {
				t.Errorf("%d errors, want 1", g.wrong)
			}
		})
	}
}

// A ticket may be handed to one mutex at a time, also if that lets it in as a re-entry.
func TestReentryIsForOneMutexToo(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(1, 0)
	g := &checkedGuard{inner: &greedy{eitherGuard{m, syncx.NewMutex(1, 0)}}, t: t}
	h.start("a", syncx.Sync(m, h.recordError("", syncx.Sync(g, h.mark("never")))))
	h.Run()
	h.WantEvents("!InternalError")
	wantStats(t, m, 0, 0)
}

type switchingGuard struct{ eitherGuard }

func (g *switchingGuard) Enter(t *syncx.Ticket) (bool, error) {
	if in, err := g.a.Enter(t); !in || err != nil {
		return in, err
	}
	g.a.Leave(t)
	return g.b.Enter(t)
}

func (g *switchingGuard) Leave(t *syncx.Ticket) { g.b.Leave(t) }

func TestTicketGoesOnToAnotherMutex(t *testing.T) {
	h := newHarness(t)
	g := &switchingGuard{eitherGuard{syncx.NewMutex(1, 0), syncx.NewMutex(1, 0)}}
	a := h.start("a", syncx.Sync(g, h.mark("in")))
	h.Run()
	h.WantEvents("in")
	wantResult(t, a, "a")
	wantStats(t, g.a, 0, 0)
	wantStats(t, g.b, 0, 0)
}

type leaveRecorder struct {
	*syncx.Limiter
	r *harness
}

func (g *leaveRecorder) Leave(t *syncx.Ticket) {
	g.Limiter.Leave(t)
	g.r.Recordf("%d", g.Queued())
}

// G4: if a flow gets a place but the rate is used up, its place goes to the next one at once.
func TestLimiterPlacesGoOnAtOnce(t *testing.T) {
	h := newHarness(t)
	g := &leaveRecorder{syncx.NewLimiter(syncx.Limits{MaxQueue: -1, Rate: 1, Period: time.Second}), h}
	for range 3 {
		h.start("a", h.recordError("", syncx.Sync(g, quiet(h, ms))))
	}
	h.Run()
	h.WantEvents("0 !DefenseRejected !DefenseRejected")
	wantStats(t, g, 0, 0)
}

func TestDeadlockOfLimiters(t *testing.T) {
	h := newHarness(t)
	one, two := newLimiter(), newLimiter()
	h.start("a", enterBoth(h, one, two))
	b := h.start("b", enterBoth(h, two, one))
	h.Run()
	_, err := b.Result()
	var cycle *syncx.Cycle
	if !errors.As(err, &cycle) || !strings.HasPrefix(cycle.Waits[0].Guard, "limiter (deadlock_test.go:") {
		t.Errorf("the error is %v", err)
	}
}
