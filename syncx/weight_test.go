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

// digit returns the weight of a flow: that of "a3" is 3.
func digit(name string) int { return int(name[1]) - '0' }

func weighted(g syncx.Guard, s str) str { return syncx.SyncWeighted(g, digit, s) }

// noRate returns a limiter whose rate is never reached.
func noRate(concurrent int) *syncx.Limiter {
	return syncx.NewLimiter(syncx.Limits{Concurrent: concurrent, MaxQueue: -1, Rate: 1000, Burst: -1})
}

// G11: the weight inside is never larger than the number of places, and a light section doesn't overtake a heavy one
// that asked before.
func TestG11HeavyAtTheHead(t *testing.T) {
	for name, fresh := range map[string]func() syncx.Guard{
		"mutex":   func() syncx.Guard { return syncx.NewMutex(3, -1) },
		"limiter": func() syncx.Guard { return noRate(3) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			g := fresh()
			s := weighted(g, r.stay(10*ms))
			for _, name := range []string{"a2", "b3", "c1", "d2"} {
				r.start(name, s)
			}
			r.Advance(5 * ms)
			r.want("+a2") // c1 would fit, but b3 is before it
			wantStats(t, g.(stats), 1, 3)
			r.Run()
			r.want("-a2 +b3 -b3 +c1 +d2 -c1 -d2")
			wantStats(t, g.(stats), 0, 0)
		})
	}
}

// G11: when a heavy section at the head of the queue is cancelled, those behind it that fit are let in at once.
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
				r := newRig(t)
				g := fresh()
				s := weighted(g, r.stay(50*ms))
				r.start("a2", s)
				heavy := s
				if limit {
					heavy = flow.Timeout(10*ms, s)
				}
				b := r.start("b3", heavy)
				r.start("c1", s)
				r.Advance(9 * ms)
				r.want("+a2")
				wantStats(t, g.(stats), 1, 2)
				if !limit {
					b.Cancel(nil)
				}
				r.Advance(ms)
				r.want("+c1")
				wantStats(t, g.(stats), 2, 0)
				r.Run()
				wantStats(t, g.(stats), 0, 0)
			})
		}
	}
}

// G11: entries of a window, and tokens, count by weight. An entry that isn't used gives back its weight.
func TestG11WeightsInTime(t *testing.T) {
	t.Run("throttle", func(t *testing.T) {
		r := newRig(t)
		s := weighted(syncx.NewThrottle(3, 100*ms, -1), r.stamp())
		for _, name := range []string{"a2", "b2", "c1", "d1", "e3"} {
			r.start(name, s)
		}
		r.Run()
		r.want("a2@0 b2@100 c1@100 d1@200 e3@300")
	})
	t.Run("limiter", func(t *testing.T) {
		r := newRig(t)
		l := syncx.NewLimiter(syncx.Limits{Concurrent: 3, MaxQueue: -1, Rate: 3, Period: 100 * ms, Burst: -1})
		s := weighted(l, r.stamp())
		for _, name := range []string{"a2", "b2", "c1"} {
			r.start(name, s)
		}
		r.Run()
		r.want("a2@0 b2@100 c1@100")
		wantStats(t, l, 0, 0)
	})
	t.Run("bucket", func(t *testing.T) {
		r := newRig(t)
		s := weighted(syncx.NewTokenBucket(1, 10*ms, 3, -1), r.stamp())
		for _, name := range []string{"a2", "b3", "c1", "d2"} {
			r.start(name, s)
		}
		r.Run()
		r.want("a2@0 b3@20 c1@30 d2@50")
	})
	for name, fresh := range map[string]func() syncx.Guard{
		"throttle, not used": func() syncx.Guard { return syncx.NewThrottle(2, 10*ms, -1) },
		"bucket, not used":   func() syncx.Guard { return syncx.NewTokenBucket(2, 10*ms, 2, -1) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			g := fresh()
			s := weighted(g, r.stamp())
			r.start("a2", s)
			r.start("b2", s)
			r.Advance(0)
			r.want("a2@0")
			c := r.start("c2", s)
			r.start("d2", s)
			r.Advance(10 * ms)
			r.want("b2@10")
			r.RunUntil(func() bool { return g.(stats).Queued() == 1 }) // until c2 is let in
			c.Cancel(nil)
			r.Run()
			r.want("d2@20")
			wantStats(t, g.(stats), 0, 0)
		})
	}
}

// G11: a re-entry needs no more places.
func TestG11Reentry(t *testing.T) {
	r := newRig(t)
	m := syncx.NewMutex(3, 0)
	s := weighted(m, weighted(m, syncx.Sync(m, r.mark("in"))))
	a := r.start("a2", s)
	r.Run()
	wantResult(t, a, "a2")
	wantStats(t, m, 0, 0)
}

// bare is a guard without a method Weigh.
type bare struct{ syncx.Guard }

// G11: a weight that can never be let in fails at once, with an error that holds the weight, the capacity and the path.
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
			r := newRig(t)
			s := flow.Then(r.mark("before"), flow.Named("resize",
				syncx.SyncWeighted(c.guard, func(string) int { return c.weight }, r.mark("never"))))
			a := r.start("a", s)
			r.Run()
			r.want("before")
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
	r := newRig(t)
	for name, c := range map[string]struct {
		plan str
		want string
	}{
		"no guard":         {weighted(nil, r.mark("x")), "the guard is nil"},
		"no weight":        {syncx.SyncWeighted(syncx.NewMutex(1, 0), nil, r.mark("x")), "the weight function is nil"},
		"no stage":         {weighted(syncx.NewMutex(1, 0), nil), "the stage is nil"},
		"breaker":          {weighted(syncx.NewBreaker(syncx.BreakerPolicy{}), r.mark("x")), "*syncx.Breaker, doesn't know weights"},
		"adaptive":         {weighted(syncx.NewAdaptive(syncx.AdaptivePolicy{}), r.mark("x")), "*syncx.Adaptive, doesn't know weights"},
		"own guard":        {weighted(bare{syncx.NewMutex(1, 0)}, r.mark("x")), "syncx_test.bare, doesn't know weights"},
		"not well formed":  {weighted(syncx.NewMutex(0, 0), r.mark("x")), "at least 1"},
		"keyed, no weight": {syncx.SyncKeyed(syncx.PerKey(first, func(string) syncx.Guard { return nil }).Weigh(nil), r.mark("x")), "the weight function is nil"},
	} {
		if err := flow.Of(c.plan).Err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// G11, E4: a weight function that panics or calls Goexit fails its step, and leaves the guard unchanged.
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

// G8, G11: the guards of a Keyed count by weight too.
func TestG11Keyed(t *testing.T) {
	r := newRig(t)
	k := syncx.PerKey(first, func(key string) syncx.Guard {
		if key == "x" {
			return syncx.NewBreaker(syncx.BreakerPolicy{})
		}
		return syncx.NewMutex(3, -1)
	}).Weigh(digit)
	s := syncx.SyncKeyed(k, r.stay(10*ms))
	for _, name := range []string{"a2", "a3", "a1", "b3"} {
		r.start(name, s)
	}
	bad, heavy := r.start("x1", s), r.start("a4", s)
	r.Advance(ms)
	r.want("+a2 +b3")
	r.Run()
	r.want("-a2 -b3 +a3 -a3 +a1 -a1")
	wantErr(t, bad, fault.InvalidRequest)
	wantErr(t, heavy, fault.InvalidRequest)
	wantGuards(t, k, 0, 2)
}

// forwarding is a guard around another one, whose Weigh it doesn't call.
type forwarding struct{ syncx.Guard }

func (forwarding) Weigh(int) error { return nil }

// G11: a guard refuses a ticket with too large a weight also if its Weigh wasn't called before.
func TestG11GuardsThatAreHandedWeights(t *testing.T) {
	for name, g := range map[string]syncx.Guard{
		"breaker":  syncx.NewBreaker(syncx.BreakerPolicy{}),
		"adaptive": syncx.NewAdaptive(syncx.AdaptivePolicy{}),
		"mutex":    syncx.NewMutex(1, -1),
		"throttle": syncx.NewThrottle(1, ms, -1),
		"bucket":   syncx.NewTokenBucket(1, ms, 1, -1),
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			a := r.start("a2", weighted(forwarding{g}, r.mark("never")))
			r.Run()
			r.want("")
			if _, err := a.Result(); err == nil {
				t.Error("it was let in")
			}
			wantStats(t, g.(stats), 0, 0)
		})
	}
}

// G11: with weights, deadlocks are found, and nothing else is reported as one.
func TestG11Deadlock(t *testing.T) {
	t.Run("two that hold a part each and want the rest", func(t *testing.T) {
		r := newRig(t)
		m, other := syncx.NewMutex(3, -1), syncx.NewMutex(1, -1)
		outer := func(inside str) str { return weighted(m, flow.Then(quiet(r, ms), inside)) }
		r.outcome("a1", outer(syncx.Sync(other, quiet(r, ms))))
		r.outcome("b3", syncx.Sync(other, flow.Then(quiet(r, 2*ms), weighted(m, quiet(r, ms)))))
		r.outcome("c1", weighted(m, quiet(r, 10*ms))) // after it has left, 2 places are free
		r.Run()
		r.want("b3!Deadlock a1 c1")
	})
	t.Run("one that goes on is enough for a light one, not for a heavy one", func(t *testing.T) {
		for name, want := range map[string]string{"b1": "c1 b1 a1", "b2": "b2!Deadlock a1 c1"} {
			r := newRig(t)
			m, other := syncx.NewMutex(2, -1), syncx.NewMutex(1, -1)
			r.outcome("a1", weighted(m, flow.Then(quiet(r, ms), syncx.Sync(other, quiet(r, ms)))))
			r.outcome("c1", weighted(m, quiet(r, 10*ms)))
			r.outcome(name, syncx.Sync(other, flow.Then(quiet(r, 2*ms), weighted(m, quiet(r, ms)))))
			r.Run()
			r.want(want)
		}
	})
	t.Run("a heavy one that goes before a light one", func(t *testing.T) {
		r := newRig(t)
		m, other := syncx.NewMutex(2, -1).ByPriority(0), syncx.NewMutex(1, -1)
		r.outcome("a1", weighted(m, flow.Then(quiet(r, ms), syncx.Sync(other, quiet(r, ms)))))
		r.outcome("d1", weighted(m, quiet(r, 10*ms)))
		r.outcome("b1", syncx.Sync(other, flow.Then(quiet(r, 2*ms), weighted(m, quiet(r, ms))))) // goes on after d1
		r.Advance(5 * ms)
		r.want("")
		high := syncx.Priority(func(string) int { return 1 }, weighted(m, quiet(r, ms)))
		var cycle error
		r.start("c2", high).Then(func(_ string, err error) { cycle = err })
		r.Run()
		r.want("d1 b1 a1")
		if !errors.Is(cycle, syncx.Deadlock) || strings.Count(cycle.Error(), ", held by ") != 2 || strings.Count(cycle.Error(), ", behind ") != 1 {
			t.Errorf("the heavy one: %v", cycle)
		}
	})
}

// G11: the sum of weights near the largest int doesn't overflow.
func TestG11LargestWeights(t *testing.T) {
	r := newRig(t)
	m := syncx.NewMutex(math.MaxInt, -1)
	s := func(weight int) str {
		return syncx.SyncWeighted(m, func(string) int { return weight }, flow.Then(r.mark("+%s"), flow.Then(quiet(r, ms), r.mark("-%s"))))
	}
	r.start("a", s(1))
	r.start("b", s(math.MaxInt))
	r.start("c", s(math.MaxInt-1))
	r.Run()
	r.want("+a -a +b -b +c -c")
	wantStats(t, m, 0, 0)
}

// The same for the entries of a Throttle.
func TestG11LargestWeightsOfAThrottle(t *testing.T) {
	r := newRig(t)
	h := syncx.NewThrottle(math.MaxInt, ms, -1)
	r.start("1", syncx.SyncWeighted(h, func(string) int { return 1 }, r.stamp()))
	r.start("2", syncx.SyncWeighted(h, func(string) int { return math.MaxInt }, r.stamp()))
	r.Run()
	r.want("1@0 2@1")
	wantStats(t, h, 0, 0)
}
