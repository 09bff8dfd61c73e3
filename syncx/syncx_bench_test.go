package syncx_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

type num = step.Step[int, int]

var inc = step.Map(func(i int) int { return i + 1 })

func turn() num { return step.Delay[int](0) }

// two runs s in two branches, so that one of them may have to wait for the other.
func two(s num) num {
	return flow.Then(flow.Par2(s, s), step.Map(func(p flow.Pair[int, int]) int { return p.A + p.B }))
}

func paths() map[string]num {
	mutex := syncx.NewMutex(1, -1)
	trusting := syncx.NewMutex(1, -1).AllowCycles()
	throttle := syncx.NewThrottle(1<<30, time.Hour, -1)
	limiter := syncx.NewLimiter(syncx.Limits{MaxQueue: -1, Rate: 1 << 30, Period: time.Hour})
	adaptive := syncx.NewAdaptive(syncx.AdaptivePolicy{Window: 1})
	full := syncx.NewMutex(1, 0)
	return map[string]num{
		"mutex":                  syncx.Sync(mutex, inc),
		"mutex, re-entry":        syncx.Sync(mutex, syncx.Sync(mutex, inc)),
		"mutex, queued":          two(syncx.Sync(mutex, turn())),
		"mutex, queued, trusted": two(syncx.Sync(trusting, turn())),
		"mutex, queued inside":   syncx.Sync(trusting, two(syncx.Sync(mutex, turn()))),
		"mutex, rejected": two(flow.Catch(syncx.Sync(full, turn()), func(step.Scope, error) step.Next[int] {
			return step.Succeed(0)
		})),
		"adaptive":        syncx.Sync(adaptive, inc),
		"throttle":        syncx.Sync(throttle, inc),
		"limiter":         syncx.Sync(limiter, inc),
		"limiter, queued": two(syncx.Sync(limiter, turn())),
	}
}

// A section allocates nothing once the pools are filled.
func TestAllocs(t *testing.T) {
	if racetest.Enabled {
		t.Skip("sync.Pool drops items at random under the race detector")
	}
	count := func(t *testing.T, s num) float64 {
		t.Helper()
		return testing.AllocsPerRun(200, func() {
			if _, err := flow.Run(context.Background(), s, 1); err != nil {
				t.Error(err)
			}
		})
	}
	for name, s := range paths() {
		t.Run(name, func(t *testing.T) {
			if got := count(t, s); got != 0 {
				t.Errorf("%v allocations, want none", got)
			}
		})
	}
	t.Run("throttle, queued", func(t *testing.T) {
		// The loop of flow.Run itself allocates when it sleeps: as much is allowed here.
		asleep := count(t, timer(100*time.Microsecond))
		if got := count(t, queuedByThrottle()); got > asleep {
			t.Errorf("%v allocations, a timer needs %v", got, asleep)
		}
	})
}

func queuedByThrottle() num {
	return two(syncx.Sync(syncx.NewThrottle(1, 100*time.Microsecond, -1), inc))
}

func timer(d time.Duration) num {
	var done step.Done[int]
	complete := func() { done.Succeed(1) }
	keep := func(d step.Done[int]) { done = d }
	return step.New(func(as step.Scope, _ int) step.Next[int] {
		if _, err := as.Loop().Deferred(d, complete); err != nil {
			return step.Fail[int](err)
		}
		return step.Wait(as, keep)
	})
}

func BenchmarkSync(b *testing.B) {
	all := paths()
	all["nothing"] = inc
	all["nothing, two branches"] = two(inc)
	all["throttle, queued"] = queuedByThrottle()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		s := all[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := flow.Run(context.Background(), s, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSyncParallel(b *testing.B) {
	s := syncx.Sync(syncx.NewMutex(1<<20, 0), inc)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := flow.Run(context.Background(), s, 1); err != nil {
				b.Error(err)
			}
		}
	})
}
