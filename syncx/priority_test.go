package syncx_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// prioritized starts a flow whose priority is the digit in its name.
func (h *harness) prioritized(name string, s stringStep) run {
	a := flow.Start(syncx.WithPriority(context.Background(), digit(name)), h.Loop, s, name)
	a.Then(func(_ string, err error) {
		if err != nil {
			h.Recordf("%s!%s", name, fault.CodeOf(err))
		}
	})
	return a
}

// G12: of flows with equal priorities the one that came first is let in first.
func TestG12Priority(t *testing.T) {
	for name, fresh := range map[string]func() syncx.Guard{
		"mutex": func() syncx.Guard { return syncx.NewMutex(1, -1).ByPriority(0) },
		"limiter": func() syncx.Guard {
			return syncx.NewLimiter(syncx.Limits{MaxQueue: -1, Rate: 1000, Burst: -1}).ByPriority(0)
		},
		"limiter, by its rate": func() syncx.Guard {
			return syncx.NewLimiter(syncx.Limits{Concurrent: 9, Rate: 1, Period: ms, Burst: -1}).ByPriority(0)
		},
		"throttle": func() syncx.Guard { return syncx.NewThrottle(1, ms, -1).ByPriority(0) },
		"bucket":   func() syncx.Guard { return syncx.NewTokenBucket(1, ms, 1, -1).ByPriority(0) },
		"adaptive": func() syncx.Guard {
			return syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 1, Max: 1, MaxQueue: -1}).ByPriority(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			g := fresh()
			s := syncx.Sync(g, flow.Then(h.mark("%s"), quiet(h, ms)))
			for _, name := range []string{"a0", "b0", "c5", "d1", "e5", "f1", "g9"} {
				h.prioritized(name, s)
			}
			h.Run()
			h.WantEvents("a0 g9 c5 e5 d1 f1 b0")
			wantStats(t, g.(stats), 0, 0)
		})
	}
}

// G12: of flows with equal priorities the one that came last is rejected.
func TestG12FullQueue(t *testing.T) {
	for name, fresh := range map[string]func() syncx.Guard{
		"mutex":    func() syncx.Guard { return syncx.NewMutex(1, 2).ByPriority(0) },
		"trusting": func() syncx.Guard { return syncx.NewMutex(1, 2).ByPriority(0).AllowCycles() },
		"limiter": func() syncx.Guard {
			return syncx.NewLimiter(syncx.Limits{MaxQueue: 2, Rate: 1000}).ByPriority(0)
		},
		"limiter, by its rate": func() syncx.Guard {
			return syncx.NewLimiter(syncx.Limits{Concurrent: 9, Rate: 1, Period: ms, Burst: 2}).ByPriority(0)
		},
		"throttle": func() syncx.Guard { return syncx.NewThrottle(1, ms, 2).ByPriority(0) },
		"bucket":   func() syncx.Guard { return syncx.NewTokenBucket(1, ms, 1, 2).ByPriority(0) },
		"adaptive": func() syncx.Guard {
			return syncx.NewAdaptive(syncx.AdaptivePolicy{Start: 1, Max: 1, MaxQueue: 2}).ByPriority(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			g := fresh()
			s := syncx.Sync(g, flow.Then(h.mark("%s"), quiet(h, ms)))
			for _, name := range []string{"a1", "b1", "c1", "d0", "e1", "f2"} { // d0 and e1 have no higher priority than a queued one; f2 displaces c1
				h.prioritized(name, s)
			}
			h.Advance(0)
			h.WantEvents("a1 d0!DefenseRejected e1!DefenseRejected c1!DefenseRejected")
			wantStats(t, g.(stats), inside(g), 2)
			h.Run()
			h.WantEvents("f2 b1")
			wantStats(t, g.(stats), 0, 0)
		})
	}
}

func TestG12DeadlockDisplacesNobody(t *testing.T) {
	for name, fresh := range map[string]func() syncx.Guard{
		"mutex": func() syncx.Guard { return syncx.NewMutex(1, 1).ByPriority(0) },
		"limiter": func() syncx.Guard {
			return syncx.NewLimiter(syncx.Limits{MaxQueue: 1, Rate: 1000}).ByPriority(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			full, held := fresh(), syncx.NewMutex(1, -1)
			h.prioritized("a0", syncx.Sync(full, flow.Then(quiet(h, ms), syncx.Sync(held, h.mark("%s")))))
			h.prioritized("b9", syncx.Sync(held, flow.Then(quiet(h, 5*ms), syncx.Sync(full, h.mark("never")))))
			h.Advance(0)
			h.prioritized("c0", syncx.Sync(full, h.mark("%s")))
			h.Advance(2 * ms)
			wantStats(t, full.(stats), 1, 1)
			h.Run()
			h.WantEvents("b9!Deadlock a0 c0")
			wantStats(t, full.(stats), 0, 0)
			wantStats(t, held, 0, 0)
		})
	}
}

// G12: a wait that would be a deadlock only with the flow that it displaces isn't one.
func TestG12DisplacedFlowIsNoPartOfADeadlock(t *testing.T) {
	h := newHarness(t)
	full, held := syncx.NewMutex(1, 1).ByPriority(0), syncx.NewMutex(2, -1)
	h.prioritized("a0", syncx.Sync(full, flow.Then(quiet(h, 2*ms), syncx.Sync(held, h.mark("%s")))))
	h.prioritized("b9", syncx.Sync(held, flow.Then(quiet(h, 5*ms), syncx.Sync(full, h.mark("%s")))))
	h.prioritized("c0", syncx.Sync(held, flow.Then(quiet(h, ms), syncx.Sync(full, h.mark("never")))))
	h.Run()
	h.WantEvents("c0!DefenseRejected a0 b9")
	wantStats(t, full, 0, 0)
	wantStats(t, held, 0, 0)
}

func inside(g syncx.Guard) int { return g.(stats).Inside() }

func TestG12Patience(t *testing.T) {
	for name, c := range map[string]struct {
		patience int
		want     string
	}{
		"none":     {0, "a0 c1 d1 e1 f1 b0"},
		"negative": {-5, "a0 c1 d1 e1 f1 b0"},
		"three":    {3, "a0 c1 d1 b0 e1 f1"},
		"one":      {1, "a0 b0 c1 d1 e1 f1"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			s := syncx.Sync(syncx.NewMutex(1, -1).ByPriority(c.patience), flow.Then(h.mark("%s"), quiet(h, ms)))
			for name := range strings.FieldsSeq("a0 b0 c1 d1 e1 f1") {
				h.prioritized(name, s)
			}
			h.Run()
			h.WantEvents(c.want)
		})
	}
}

// G12: Priority counts for the steps inside of it, also in branches and shields.
func TestG12WhereAPriorityComesFrom(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(1, -1).ByPriority(0)
	enter := func(name string) stringStep {
		return syncx.Sync(m, flow.Then(step.Map(func(in string) string { h.Recordf("%s", name); return in }), quiet(h, ms)))
	}
	is := func(n int, s stringStep) stringStep { return syncx.Priority(func(string) int { return n }, s) }
	h.start("x", enter("holder"))
	h.Advance(0)
	h.start("x", enter("none"))
	h.start("x", is(-1, enter("below")))
	h.start("x", is(3, flow.Then(quiet(h, 0), enter("three"))))
	h.start("x", is(9, is(2, enter("two"))))
	h.start("x", is(7, join(enter("branch"), flow.Shield(enter("shield")))))
	h.start("x", is(5, flow.Timeout(time.Hour, flow.Then(step.Func(func(as step.Scope, in string) (string, error) {
		if n := syncx.PriorityOf(as.Context()); n != 5 {
			t.Errorf("the context says %d", n)
		}
		return in, nil
	}), enter("five")))))
	h.prioritized("x4", enter("run"))
	h.Run()
	h.WantEvents("holder branch shield five run three two none below")
	if n := syncx.PriorityOf(context.Background()); n != 0 {
		t.Error(n)
	}
}

func TestG12NotAskedFor(t *testing.T) {
	h := newHarness(t)
	s := syncx.Sync(syncx.NewMutex(1, -1), flow.Then(h.mark("%s"), quiet(h, ms)))
	for name := range strings.FieldsSeq("a0 b1 c2") {
		h.prioritized(name, s)
	}
	h.Run()
	h.WantEvents("a0 b1 c2")
}

func TestG12AndWeights(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(2, -1).ByPriority(0)
	s := func(weight int) stringStep {
		return syncx.SyncWeighted(m, func(string) int { return weight }, flow.Then(h.mark("%s"), quiet(h, 10*ms)))
	}
	h.prioritized("a0", s(1))
	h.prioritized("b1", s(2))
	h.prioritized("c0", s(1))
	h.Advance(5 * ms)
	h.WantEvents("a0")
	h.prioritized("d2", s(1))
	h.Advance(0)
	h.WantEvents("d2")
	h.Run()
	h.WantEvents("b1 c0")
}

func TestG12Cancel(t *testing.T) {
	for skip := range 4 {
		h := newHarness(t)
		m := syncx.NewMutex(1, -1).ByPriority(0)
		s := syncx.Sync(m, flow.Then(h.mark("%s"), quiet(h, ms)))
		h.prioritized("x9", s)
		h.Advance(0)
		names, want := strings.Fields("a2 b1 c2 d1"), strings.Fields("a2 c2 b1 d1")
		var all []run
		for _, name := range names {
			all = append(all, h.prioritized(name, s))
		}
		h.Advance(0)
		all[skip].Cancel(nil)
		h.Advance(0)
		h.prioritized("e2", s)
		h.prioritized("f1", s)
		h.Run()
		order := "x9 " + names[skip] + "!Cancelled"
		for _, name := range append(append(append([]string{}, want[:2]...), "e2"), append(want[2:], "f1")...) {
			if name != names[skip] {
				order += " " + name
			}
		}
		h.WantEvents(order)
		wantStats(t, m, 0, 0)
	}
}

func TestG12PlansThatCannotBeRun(t *testing.T) {
	h := newHarness(t)
	if err := syncx.Priority(nil, h.mark("x")).Err(); err == nil {
		t.Error("no function")
	}
	if err := syncx.Priority[string, string](digit, nil).Err(); err == nil {
		t.Error("no stage")
	}
	a := h.start("a", syncx.Priority(func(string) int { panic("no") }, h.mark("never")))
	h.Run()
	h.WantEvents("")
	wantErr(t, a, fault.InternalError)
}
