package syncx_test

import (
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// digit returns the digit in the name of a flow: its weight, or its priority.
func digit(name string) int { return int(name[1]) - '0' }

func weighted(g syncx.Guard, s stringStep) stringStep { return syncx.SyncWeighted(g, digit, s) }

func noRate(concurrent int) *syncx.Limiter {
	return syncx.NewLimiter(syncx.Limits{Concurrent: concurrent, MaxQueue: -1, Rate: 1000, Burst: -1})
}

func TestG11HeavyAtTheHead(t *testing.T) {
	for name, fresh := range map[string]func() syncx.Guard{
		"mutex":   func() syncx.Guard { return syncx.NewMutex(3, -1) },
		"limiter": func() syncx.Guard { return noRate(3) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			g := fresh()
			s := weighted(g, h.recordedDelay(10*ms))
			for _, name := range []string{"a2", "b3", "c1", "d2"} {
				h.start(name, s)
			}
			h.Advance(5 * ms)
			h.WantEvents("+a2") // c1 would fit, but b3 is before it
			wantStats(t, g.(stats), 1, 3)
			h.Run()
			h.WantEvents("-a2 +b3 -b3 +c1 +d2 -c1 -d2")
			wantStats(t, g.(stats), 0, 0)
		})
	}
}

func TestG11HeavyGivesUp(t *testing.T) {
	for name, fresh := range map[string]func() syncx.Guard{
		"mutex":    func() syncx.Guard { return syncx.NewMutex(3, -1) },
		"trusting": func() syncx.Guard { return syncx.NewMutex(3, -1).AllowCycles() },
		"limiter":  func() syncx.Guard { return noRate(3) },
		"throttle": func() syncx.Guard { return syncx.NewThrottle(3, time.Second, -1) },
		"bucket":   func() syncx.Guard { return syncx.NewTokenBucket(1, time.Second, 3, -1) },
	} {
		for what, limit := range map[string]bool{"cancel": false, "timeout": true} {
			t.Run(name+", "+what, func(t *testing.T) {
				h := newHarness(t)
				g := fresh()
				s := weighted(g, h.recordedDelay(50*ms))
				h.start("a2", s)
				heavy := s
				if limit {
					heavy = flow.Timeout(10*ms, s)
				}
				b := h.start("b3", heavy)
				h.start("c1", s)
				h.Advance(9 * ms)
				h.WantEvents("+a2")
				wantStats(t, g.(stats), 1, 2)
				if !limit {
					b.Cancel(nil)
				}
				h.Advance(ms)
				h.WantEvents("+c1")
				wantStats(t, g.(stats), 2, 0)
				h.Run()
				wantStats(t, g.(stats), 0, 0)
			})
		}
	}
}

func TestG11WeightsInTime(t *testing.T) {
	t.Run("throttle", func(t *testing.T) {
		h := newHarness(t)
		s := weighted(syncx.NewThrottle(3, 100*ms, -1), h.stamp())
		for _, name := range []string{"a2", "b2", "c1", "d1", "e3"} {
			h.start(name, s)
		}
		h.Run()
		h.WantEvents("a2@0 b2@100 c1@100 d1@200 e3@300")
	})
	t.Run("limiter", func(t *testing.T) {
		h := newHarness(t)
		l := syncx.NewLimiter(syncx.Limits{Concurrent: 3, MaxQueue: -1, Rate: 3, Period: 100 * ms, Burst: -1})
		s := weighted(l, h.stamp())
		for _, name := range []string{"a2", "b2", "c1"} {
			h.start(name, s)
		}
		h.Run()
		h.WantEvents("a2@0 b2@100 c1@100")
		wantStats(t, l, 0, 0)
	})
	t.Run("bucket", func(t *testing.T) {
		h := newHarness(t)
		s := weighted(syncx.NewTokenBucket(1, 10*ms, 3, -1), h.stamp())
		for _, name := range []string{"a2", "b3", "c1", "d2"} {
			h.start(name, s)
		}
		h.Run()
		h.WantEvents("a2@0 b3@20 c1@30 d2@50")
	})
	for name, fresh := range map[string]func() syncx.Guard{
		"throttle, not used": func() syncx.Guard { return syncx.NewThrottle(2, 10*ms, -1) },
		"bucket, not used":   func() syncx.Guard { return syncx.NewTokenBucket(2, 10*ms, 2, -1) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			g := fresh()
			s := weighted(g, h.stamp())
			h.start("a2", s)
			h.start("b2", s)
			h.Advance(0)
			h.WantEvents("a2@0")
			c := h.start("c2", s)
			h.start("d2", s)
			h.Advance(10 * ms)
			h.WantEvents("b2@10")
			h.RunUntil(func() bool { return g.(stats).Queued() == 1 }) // until c2 is let in
			c.Cancel(nil)
			h.Run()
			h.WantEvents("d2@20")
			wantStats(t, g.(stats), 0, 0)
		})
	}
}

func TestG11Reentry(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(3, 0)
	s := weighted(m, weighted(m, syncx.Sync(m, h.mark("in"))))
	a := h.start("a2", s)
	h.Run()
	wantResult(t, a, "a2")
	wantStats(t, m, 0, 0)
}

type guardWithoutWeigh struct{ syncx.Guard }

func TestG11WeightsThatCannotBe(t *testing.T) {
	m := syncx.NewMutex(3, -1)
	for _, c := range []struct {
		name           string
		weight, beside int
		guard          syncx.Guard
	}{
		{"zero", 0, 0, m},
		{"negative", -1, 0, m},
		{"mutex", 4, 3, m},
		{"throttle", 4, 3, syncx.NewThrottle(3, ms, -1)},
		{"bucket", 4, 3, syncx.NewTokenBucket(1, ms, 3, -1)},
		{"limiter, places", 4, 3, syncx.NewLimiter(syncx.Limits{Concurrent: 3, Rate: 9})},
		{"limiter, rate", 4, 3, syncx.NewLimiter(syncx.Limits{Concurrent: 9, Rate: 3})},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t)
			s := flow.Then(h.mark("before"), flow.Named("resize",
				syncx.SyncWeighted(c.guard, func(string) int { return c.weight }, h.mark("never"))))
			a := h.start("a", s)
			h.Run()
			h.WantEvents("before")
			_, err := a.Result()
			e, ok := errors.AsType[*syncx.WeightError](err)
			if !ok || e.Weight != c.weight || e.Capacity != c.beside || fault.CodeOf(err) != fault.InvalidRequest ||
				!strings.Contains(err.Error(), "resize") || strings.Count(err.Error(), "weigh") != 1 {
				t.Errorf("failed with %v", err)
			}
			wantStats(t, c.guard.(stats), 0, 0)
		})
	}
}

func TestG11PlansThatCannotBeRun(t *testing.T) {
	h := newHarness(t)
	for name, c := range map[string]struct {
		plan stringStep
		want string
	}{
		"no guard":         {weighted(nil, h.mark("x")), "the guard is nil"},
		"no weight":        {syncx.SyncWeighted(syncx.NewMutex(1, 0), nil, h.mark("x")), "the weight function is nil"},
		"no stage":         {weighted(syncx.NewMutex(1, 0), nil), "the stage is nil"},
		"breaker":          {weighted(syncx.NewBreaker(syncx.BreakerPolicy{}), h.mark("x")), "*syncx.Breaker, doesn't know weights"},
		"adaptive":         {weighted(syncx.NewAdaptive(syncx.AdaptivePolicy{}), h.mark("x")), "*syncx.Adaptive, doesn't know weights"},
		"own guard":        {weighted(guardWithoutWeigh{syncx.NewMutex(1, 0)}, h.mark("x")), "syncx_test.guardWithoutWeigh, doesn't know weights"},
		"not well formed":  {weighted(syncx.NewMutex(0, 0), h.mark("x")), "at least 1"},
		"keyed, no weight": {syncx.SyncKeyed(syncx.PerKey(first, func(string) syncx.Guard { return nil }).Weigh(nil), h.mark("x")), "the weight function is nil"},
	} {
		if err := flow.Of(c.plan).Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestG11WeightBreaksOff(t *testing.T) {
	for what, broken := range map[string]func(){"panic": func() { panic("no") }, "Goexit": runtime.Goexit} {
		t.Run(what, func(t *testing.T) {
			m := syncx.NewMutex(2, 0)
			var once sync.Once
			weight := func(string) int {
				once.Do(broken)
				return 2
			}
			s := syncx.SyncWeighted(m, weight, step.Map(func(in string) string { return in }))
			loop := tool.Start(tool.Options{OnError: func(error) {}})
			defer func() { _ = loop.Shutdown(t.Context()) }()
			for i, want := range []fault.Code{fault.InternalError, ""} {
				a := flow.Start(t.Context(), loop, s, "a")
				<-a.Done()
				if _, err := a.Result(); fault.CodeOf(err) != want {
					t.Errorf("run %d: %v", i, err)
				}
			}
			wantStats(t, m, 0, 0)
		})
	}
}

func TestG11Keyed(t *testing.T) {
	h := newHarness(t)
	k := syncx.PerKey(first, func(key string) syncx.Guard {
		if key == "x" {
			return syncx.NewBreaker(syncx.BreakerPolicy{})
		}
		return syncx.NewMutex(3, -1)
	}).Weigh(digit)
	s := syncx.SyncKeyed(k, h.recordedDelay(10*ms))
	for _, name := range []string{"a2", "a3", "a1", "b3"} {
		h.start(name, s)
	}
	bad, heavy := h.start("x1", s), h.start("a4", s)
	h.Advance(ms)
	h.WantEvents("+a2 +b3")
	h.Run()
	h.WantEvents("-a2 -b3 +a3 -a3 +a1 -a1")
	wantErr(t, bad, fault.InvalidRequest)
	wantErr(t, heavy, fault.InvalidRequest)
	wantGuards(t, k, 0, 2)
}

// guardHidingWeigh doesn't call the Weigh of the guard in it.
type guardHidingWeigh struct{ syncx.Guard }

func (guardHidingWeigh) Weigh(int) error { return nil }

func TestG11GuardsThatAreHandedWeights(t *testing.T) {
	for name, g := range map[string]syncx.Guard{
		"breaker":  syncx.NewBreaker(syncx.BreakerPolicy{}),
		"adaptive": syncx.NewAdaptive(syncx.AdaptivePolicy{}),
		"mutex":    syncx.NewMutex(1, -1),
		"throttle": syncx.NewThrottle(1, ms, -1),
		"bucket":   syncx.NewTokenBucket(1, ms, 1, -1),
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t)
			a := h.start("a2", weighted(guardHidingWeigh{g}, h.mark("never")))
			h.Run()
			h.WantEvents("")
			if _, err := a.Result(); err == nil {
				t.Error("it was let in")
			}
			wantStats(t, g.(stats), 0, 0)
		})
	}
}

func TestG11Deadlock(t *testing.T) {
	t.Run("two that hold a part each and want the rest", func(t *testing.T) {
		h := newHarness(t)
		m, other := syncx.NewMutex(3, -1), syncx.NewMutex(1, -1)
		outer := func(inside stringStep) stringStep { return weighted(m, flow.Then(quiet(h, ms), inside)) }
		h.outcome("a1", outer(syncx.Sync(other, quiet(h, ms))))
		h.outcome("b3", syncx.Sync(other, flow.Then(quiet(h, 2*ms), weighted(m, quiet(h, ms)))))
		h.outcome("c1", weighted(m, quiet(h, 10*ms))) // after it has left, 2 places are free
		h.Run()
		h.WantEvents("b3!Deadlock a1 c1")
	})
	t.Run("one that goes on is enough for a light one, not for a heavy one", func(t *testing.T) {
		for name, want := range map[string]string{"b1": "c1 b1 a1", "b2": "b2!Deadlock a1 c1"} {
			h := newHarness(t)
			m, other := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1)
			h.outcome("a1", weighted(m, flow.Then(quiet(h, ms), syncx.Sync(other, quiet(h, ms)))))
			h.outcome("c1", weighted(m, quiet(h, 10*ms)))
			h.outcome(name, syncx.Sync(other, flow.Then(quiet(h, 2*ms), weighted(m, quiet(h, ms)))))
			h.Run()
			h.WantEvents(want)
		}
	})
	t.Run("a heavy one that goes before a light one", func(t *testing.T) {
		h := newHarness(t)
		m, other := syncx.NewMutex(2, -1).ByPriority(0), syncx.NewMutex(1, -1)
		h.outcome("a1", weighted(m, flow.Then(quiet(h, ms), syncx.Sync(other, quiet(h, ms)))))
		h.outcome("d1", weighted(m, quiet(h, 10*ms)))
		h.outcome("b1", syncx.Sync(other, flow.Then(quiet(h, 2*ms), weighted(m, quiet(h, ms))))) // goes on after d1
		h.Advance(5 * ms)
		h.WantEvents("")
		high := syncx.Priority(func(string) int { return 1 }, weighted(m, quiet(h, ms)))
		var cycle error
		h.start("c2", high).Then(func(_ string, err error) { cycle = err })
		h.Run()
		h.WantEvents("d1 b1 a1")
		if !errors.Is(cycle, syncx.Deadlock) || strings.Count(cycle.Error(), ", held by ") != 2 || strings.Count(cycle.Error(), ", behind ") != 1 {
			t.Errorf("the heavy one: %v", cycle)
		}
	})
}

func TestG11LargestWeights(t *testing.T) {
	h := newHarness(t)
	m := syncx.NewMutex(math.MaxInt, -1)
	s := func(weight int) stringStep {
		return syncx.SyncWeighted(m, func(string) int { return weight }, flow.Then(h.mark("+%s"), flow.Then(quiet(h, ms), h.mark("-%s"))))
	}
	h.start("a", s(1))
	h.start("b", s(math.MaxInt))
	h.start("c", s(math.MaxInt-1))
	h.Run()
	h.WantEvents("+a -a +b -b +c -c")
	wantStats(t, m, 0, 0)
}

func TestG11LargestWeightsOfAThrottle(t *testing.T) {
	h := newHarness(t)
	throttle := syncx.NewThrottle(math.MaxInt, ms, -1)
	h.start("1", syncx.SyncWeighted(throttle, func(string) int { return 1 }, h.stamp()))
	h.start("2", syncx.SyncWeighted(throttle, func(string) int { return math.MaxInt }, h.stamp()))
	h.Run()
	h.WantEvents("1@0 2@1")
	wantStats(t, throttle, 0, 0)
}
