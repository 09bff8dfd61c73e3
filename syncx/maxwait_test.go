package syncx_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/observe"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// A section that isn't let in within 5 ms fails then, and those behind it move up.
func TestG14MaxWait(t *testing.T) {
	for name, fresh := range map[string]func() syncx.Guard{
		"mutex":    func() syncx.Guard { return syncx.NewMutex(1, -1) },
		"trusting": func() syncx.Guard { return syncx.NewMutex(1, -1).AllowCycles() },
		"limiter":  func() syncx.Guard { return noRate(1) },
		"adaptive": func() syncx.Guard { return syncx.NewAdaptive(syncx.AdaptivePolicy{Max: 1, MaxQueue: -1}) },
	} {
		t.Run(name, func(t *testing.T) {
			h, g := newHarness(t), fresh()
			limited := syncx.MaxWait(5*ms, g)
			for _, s := range []struct {
				name string
				g    syncx.Guard
			}{{"holder", g}, {"impatient", limited}, {"patient", g}} {
				h.outcome(s.name, syncx.Sync(s.g, flow.Then(h.mark("+%s"), quiet(h, 10*ms))))
			}
			h.Advance(5*ms - 1)
			h.WantEvents("+holder")
			wantStats(t, g.(stats), 1, 2)
			h.Advance(1)
			h.WantEvents("impatient!DefenseRejected")
			wantStats(t, g.(stats), 1, 1)
			h.outcome("lucky", syncx.Sync(syncx.MaxWait(15*ms+1, g), quiet(h, 10*ms)))
			h.Run()
			h.WantEvents("holder +patient patient lucky")
			wantStats(t, g.(stats), 0, 0)
		})
	}
	t.Run("throttle", func(t *testing.T) {
		h := newHarness(t)
		g := syncx.NewThrottle(1, 10*ms, -1)
		s := func(d time.Duration) stringStep { return syncx.Sync(syncx.MaxWait(d, g), h.stamp()) }
		h.at(0, "first", s(ms))
		h.at(0, "early", s(9*ms))
		h.at(0, "second", s(11*ms))
		h.at(0, "third", s(math.MaxInt64))
		h.Run()
		h.WantEvents("first@0 early!DefenseRejected second@10 third@20")
	})
	t.Run("both queues of a limiter", func(t *testing.T) {
		h := newHarness(t)
		l := syncx.NewLimiter(syncx.Limits{Concurrent: 1, MaxQueue: -1, Rate: 2, Period: 100 * ms, Burst: -1})
		s := syncx.Sync(syncx.MaxWait(50*ms, l), h.recordedDelay(30*ms))
		for _, name := range []string{"a", "b", "c"} {
			h.outcome(name, s) // c waits 60 ms for its place
		}
		h.Advance(55 * ms)
		h.outcome("d", s) // waits 5 ms for its place, and then for the rate
		h.Run()
		h.WantEvents("+a -a a +b c!DefenseRejected -b b +d -d d")
	})
}

// The work inside may take as long as it likes, and the timer is gone.
func TestMaxWaitIsNoLimitInside(t *testing.T) {
	h, m := newHarness(t), syncx.NewMutex(1, -1)
	s := syncx.Sync(syncx.MaxWait(20*ms, m), h.recordedDelay(10*ms))
	h.outcome("a", s)
	h.outcome("b", s)
	h.Advance(10 * ms)
	h.WantEvents("+a -a a +b")
	if got := h.Pending(); got != 1 {
		t.Errorf("%d timers, want that of the work", got)
	}
	h.Run()
	h.WantEvents("-b b")
	h.outcome("a", syncx.Sync(m, quiet(h, time.Minute)))
	waits := h.start("c", s)
	h.Advance(ms)
	waits.Cancel(nil)
	h.Advance(0)
	if got := h.Pending(); got != 1 {
		t.Errorf("%d timers, want that of a", got)
	}
	wantStats(t, m, 1, 0)
	h.Run()
}

// The limit of a section that was let in at once isn't that of the next round's, whose state has the same memory.
func TestMaxWaitIsForOneEntry(t *testing.T) {
	h, m := newHarness(t), syncx.NewMutex(1, -1)
	guards := []syncx.Guard{syncx.MaxWait(ms, m), m}
	rounds := 0
	section := syncx.SyncKeyed(syncx.PerKey(func(string) int { rounds++; return rounds - 1 }, func(n int) syncx.Guard { return guards[n] }),
		step.New(func(_ step.Scope, name string) step.Next[string] {
			h.Recordf("in")
			if rounds == 2 {
				return loopx.Break[string]()
			}
			h.outcome("holder", syncx.Sync(m, quiet(h, 10*ms))) // is inside when the next round comes
			return step.Succeed(name)
		}))
	h.outcome("twice", loopx.Loop(flow.Then(section, quiet(h, ms))))
	h.Run()
	h.WantEvents("in holder in twice")
}

// The place becomes free at that moment, but after the limit has passed.
func TestMaxWaitPassesAtTheMomentOfTheGrant(t *testing.T) {
	h, m := newHarness(t), syncx.NewMutex(1, -1)
	h.outcome("holder", syncx.Sync(m, quiet(h, 10*ms)))
	h.outcome("impatient", syncx.Sync(syncx.MaxWait(10*ms, m), h.mark("never")))
	h.outcome("patient", syncx.Sync(m, h.mark("in")))
	h.Run()
	h.WantEvents("holder impatient!DefenseRejected in patient")
	wantStats(t, m, 0, 0)
}

func TestMaxWaitIsTheSameGuard(t *testing.T) {
	t.Run("entered again", func(t *testing.T) {
		h, m := newHarness(t), syncx.NewMutex(1, 0)
		limited := syncx.MaxWait(ms, m)
		h.outcome("a", syncx.Sync(m, syncx.Sync(limited, syncx.Sync(m, h.mark("in")))))
		h.Run()
		h.WantEvents("in a")
	})
	t.Run("the shorter of two", func(t *testing.T) {
		for _, g := range []func(syncx.Guard) syncx.Guard{
			func(m syncx.Guard) syncx.Guard { return syncx.MaxWait(ms, syncx.MaxWait(time.Hour, m)) },
			func(m syncx.Guard) syncx.Guard { return syncx.MaxWait(time.Hour, syncx.MaxWait(ms, m)) },
		} {
			h, m := newHarness(t), syncx.NewMutex(1, -1)
			h.outcome("holder", syncx.Sync(m, quiet(h, 5*ms)))
			h.outcome("a", syncx.Sync(g(m), h.mark("in")))
			h.Advance(ms)
			h.WantEvents("a!DefenseRejected")
			h.Run()
		}
	})
	t.Run("in a guard of the user", func(t *testing.T) {
		h, m := newHarness(t), syncx.NewMutex(1, -1)
		g := &recordingGuard{syncx.MaxWait(ms, m), h}
		h.outcome("holder", syncx.Sync(m, quiet(h, 5*ms)))
		h.outcome("a", syncx.Sync(g, h.mark("in")))
		h.Advance(ms)
		h.WantEvents("queue withdraw a!DefenseRejected")
		h.Run()
		h.outcome("b", syncx.Sync(g, h.mark("in")))
		h.Run()
		h.WantEvents("holder enter in leave b")
	})
	t.Run("weights, leases, outcomes", func(t *testing.T) {
		h, m := newHarness(t), syncx.NewMutex(3, -1)
		h.outcome("a2", weighted(syncx.MaxWait(ms, m), quiet(h, 5*ms)))
		h.outcome("b2", weighted(syncx.MaxWait(ms, m), h.mark("in")))
		h.outcome("c4", weighted(syncx.MaxWait(ms, m), h.mark("in")))
		h.Run()
		h.WantEvents("c4!InvalidRequest b2!DefenseRejected a2")
		leased := newLeased(h)
		h.outcome("l", syncx.Sync(syncx.MaxWait(ms, leased), h.fence()))
		b := syncx.NewBreaker(syncx.BreakerPolicy{Failures: 1})
		h.outcome("fails", syncx.Sync(syncx.MaxWait(ms, b), h.mark("never-mind")))
		h.Run()
		h.WantEvents("l=1 leave l never-mind fails")
		h.outcome("fails", syncx.Sync(syncx.MaxWait(ms, b), flow.Then(h.mark("now"), failing())))
		h.Run()
		h.WantEvents("now fails!InternalError")
		if b.State() != syncx.Open {
			t.Errorf("a failure leaves the breaker %v", b.State())
		}
	})
	t.Run("to observers", func(t *testing.T) {
		m := syncx.NewMutex(1, 0)
		limited := syncx.MaxWait(ms, m)
		sections := 0
		ctx := observe.With(t.Context(), watching(func(e observe.Event) {
			if e.Kind == observe.StepStart && observe.IsSection(e, m) && observe.IsSection(e, limited) {
				sections++
			}
		}))
		for _, g := range []syncx.Guard{m, limited} {
			if _, err := flow.Run(ctx, syncx.Sync(g, inc), 1); err != nil {
				t.Error(err)
			}
		}
		if sections != 2 {
			t.Errorf("%d sections were told of, want 2", sections)
		}
	})
}

func failing() stringStep {
	return step.Func(func(step.Scope, string) (string, error) { return "", errBody })
}

func TestMaxWaitRejectsBadInput(t *testing.T) {
	m := syncx.NewMutex(1, -1)
	for want, g := range map[string]syncx.Guard{
		"the limit must be positive, got 0s":    syncx.MaxWait(0, m),
		"the limit must be positive, got -1ns":  syncx.MaxWait(-1, m),
		"the limit must be positive, got -2ns":  syncx.MaxWait(time.Second, syncx.MaxWait(-2, m)),
		"the guard is nil":                      syncx.MaxWait(1, nil),
		"not made by NewMutex":                  syncx.MaxWait(1, new(syncx.Mutex)),
		"the maximum must be at least 1, got 0": syncx.MaxWait(1, syncx.NewMutex(0, 0)),
		"isn't comparable":                      syncx.MaxWait(1, incomparable{}),
	} {
		err := syncx.Sync(g, inc).Err()
		if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(fmt.Sprintf("%+v", err), want) {
			t.Errorf("%v, want %q", err, want)
		}
		_, err = flow.Run(t.Context(), syncx.SyncKeyed(syncx.PerKey(func(int) int { return 0 }, func(int) syncx.Guard { return g }), inc), 1)
		if !errors.Is(err, fault.InvalidRequest) {
			t.Errorf("for a key: %v", err)
		}
	}
}

func TestMaxWaitSaysWhatHasPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := syncx.NewMutex(1, -1)
		p := flow.Named("quote", syncx.Sync(syncx.MaxWait(50*time.Millisecond, m), step.Delay[int](time.Second)))
		_, err := flow.Run(t.Context(), flow.Par(p, p), 1)
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != fault.DefenseRejected || !strings.Contains(fmt.Sprint(err), "not let in within 50ms") {
			t.Errorf("%+v", err)
		}
	})
}

// Grants and limits of several loops meet, and no place is lost.
func TestMaxWaitOnSeveralLoops(t *testing.T) {
	m := syncx.NewMutex(1, -1)
	var inside, worked, rejected atomic.Int32
	work := flow.Then(flow.Then(
		step.Map(func(n int) int {
			if inside.Add(1) > 1 {
				t.Error("two are inside")
			}
			return n
		}),
		timer(20*time.Microsecond)),
		step.Map(func(n int) int { inside.Add(-1); return n }),
	)
	loop := tool.Start(tool.Options{})
	holder := flow.Start(t.Context(), loop, syncx.Sync(m, timer(5*time.Millisecond)), 0) // outlasts some waits
	for m.Inside() == 0 {
		runtime.Gosched()
	}
	runConcurrently(t, syncx.Sync(syncx.MaxWait(400*time.Microsecond, m), work), func(err error) {
		switch {
		case err == nil:
			worked.Add(1)
		case errors.Is(err, fault.DefenseRejected):
			rejected.Add(1)
		default:
			t.Error(err)
		}
	})
	wantStats(t, m, 0, 0)
	t.Logf("%d worked, %d were rejected", worked.Load(), rejected.Load())
	if worked.Load() == 0 || rejected.Load() == 0 {
		t.Error("not both have happened")
	}
	if _, err := holder.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if err := loop.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMaxWaitAllocatesNothing(t *testing.T) {
	if racetest.Enabled {
		t.Skip("sync.Pool drops items at random under the race detector")
	}
	s := syncx.MaxWait(time.Hour, syncx.NewMutex(1, -1))
	both := two(syncx.Sync(s, turn()))
	if n := testing.AllocsPerRun(200, func() {
		if _, err := flow.Run(context.Background(), both, 1); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
