package syncx_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/racetest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

const (
	stressLoops = 8
	stressRuns  = 100_000
	stressAlive = 256 // runs of one producer at the same time
)

func shutdown(t *testing.T, g *tool.Group) {
	t.Helper()
	if err := g.Shutdown(context.Background()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// stress counts the bodies of its runs, and how the runs end.
type stress struct {
	inside, bodies atomic.Int64
	highest        atomic.Int64
	codes          sync.Map // of fault.Code to *atomic.Int64
}

// body returns a step that succeeds, fails or panics at once, or succeeds after a moment.
func (s *stress) body() stringStep {
	return step.New(func(as step.Scope, name string) step.Next[string] {
		n := s.inside.Add(1)
		for high := s.highest.Load(); n > high && !s.highest.CompareAndSwap(high, n); high = s.highest.Load() {
		}
		dice := rand.New(rand.NewPCG(1, uint64(s.bodies.Add(1))))
		step.StackCleanup(as, func(*struct{}) { s.inside.Add(-1) })
		if dice.IntN(3) == 0 {
			return step.Succeed(name)
		}
		if dice.IntN(10) == 0 {
			return step.Fail[string](errBody)
		}
		if dice.IntN(50) == 0 {
			panic("stress")
		}
		return step.Wait(as, func(done step.Done[string]) {
			_, err := as.Loop().Deferred(time.Duration(dice.IntN(50_000)), func() { done.Succeed(name) })
			if err != nil {
				done.Fail(err)
			}
		})
	})
}

func (s *stress) count(err error) {
	n, _ := s.codes.LoadOrStore(fault.CodeOf(err), new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

func (s *stress) of(code fault.Code) int64 {
	if n, ok := s.codes.Load(code); ok {
		return n.(*atomic.Int64).Load()
	}
	return 0
}

// drive runs the section on 8 loops, from 8 goroutines. Some runs are cancelled, some have a limit.
func (s *stress) drive(t *testing.T, section stringStep, runs int) time.Duration {
	t.Helper()
	group := tool.NewGroup(stressLoops, tool.Options{})
	defer shutdown(t, group)
	limited := []stringStep{section, section}
	for _, limit := range []time.Duration{50 * time.Microsecond, time.Millisecond} {
		limited = append(limited, flow.Timeout(limit, section))
	}
	started := time.Now()
	var all sync.WaitGroup
	for worker := range uint64(stressLoops) {
		all.Go(func() {
			dice := rand.New(rand.NewPCG(2, worker))
			alive := make(chan struct{}, stressAlive)
			for range runs / stressLoops {
				alive <- struct{}{}
				r := flow.Start(context.Background(), group.Next(), limited[dice.IntN(len(limited))], "x")
				r.Then(func(_ string, err error) {
					s.count(err)
					<-alive
				})
				switch dice.IntN(8) {
				case 0:
					r.Cancel(nil)
				case 1:
					runtime.Gosched()
					r.Cancel(nil)
				}
			}
			for range stressAlive {
				alive <- struct{}{}
			}
		})
	}
	all.Wait()
	return time.Since(started)
}

// G1–G4: no more are inside or entered than allowed, and each place is given back.
func TestStress(t *testing.T) {
	for _, c := range []struct {
		name  string
		guard interface {
			syncx.Guard
			stats
		}
		runs   int
		max    int64         // largest number inside at once; 0: any number
		rate   int           // entries per period
		period time.Duration // 0: no limit of the rate
	}{
		{"mutex", syncx.NewMutex(5, -1), stressRuns, 5, 0, 0},
		{"mutex with a bounded queue", syncx.NewMutex(3, 20), stressRuns / 5, 3, 0, 0},
		{"throttle", syncx.NewThrottle(40, ms, -1), stressRuns, 0, 40, ms},
		{"throttle with a bounded queue", syncx.NewThrottle(20, ms, 50), stressRuns / 5, 0, 20, ms},
		{"limiter", syncx.NewLimiter(syncx.Limits{Concurrent: 20, MaxQueue: 500, Rate: 30, Period: ms, Burst: 10}), stressRuns, 20, 30, ms},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s stress
			section := s.body()
			if h, ok := c.guard.(interface{ Entered() int }); ok {
				section = flow.Then(step.Map(func(name string) string {
					if n := h.Entered(); n > c.rate {
						t.Errorf("%d entries in a window, want at most %d", n, c.rate)
					}
					return name
				}), section)
			}
			switch {
			case testing.Short():
				c.runs /= 50
			case racetest.Enabled: // fewer runs find a race as well
				c.runs /= 10
			}
			took := s.drive(t, syncx.Sync(c.guard, section), c.runs)
			wantStats(t, c.guard, 0, 0)
			if n := s.inside.Load(); n != 0 {
				t.Errorf("%d are inside at the end", n)
			}
			if high := s.highest.Load(); c.max > 0 && high > c.max {
				t.Errorf("%d were inside at once, want at most %d", high, c.max)
			}
			if c.period > 0 {
				windows := int64(took/c.period) + 2
				if n := s.bodies.Load(); n > windows*int64(c.rate) {
					t.Errorf("%d entries in %d windows of %d", n, windows, c.rate)
				}
			}
			if n := s.of(syncx.Deadlock); n != 0 {
				t.Errorf("%d deadlocks reported, there are none", n)
			}
			t.Logf("%v: %d entered, %d inside at most; ok %d, rejected %d, timeout %d, cancelled %d, failed %d", took,
				s.bodies.Load(), s.highest.Load(), s.of(""), s.of(fault.DefenseRejected), s.of(fault.Timeout), s.of(fault.Cancelled), s.of(fault.InternalError))
		})
	}
}

// Flows that take mutexes in the same order don't fail with Deadlock; those that take them in any order may.
func TestStressDeadlock(t *testing.T) {
	runs := 6000
	if testing.Short() {
		runs = 600
	}
	const mutexes = 6
	for _, ordered := range []bool{true, false} {
		name := "in any order"
		if ordered {
			name = "in one order"
		}
		t.Run(name, func(t *testing.T) {
			var m [mutexes]*syncx.Mutex
			for i := range m {
				m[i] = syncx.NewMutex(1+i%2, -1)
			}
			var s stress
			dice := rand.New(rand.NewPCG(3, 1))
			plans := make([]stringStep, 60)
			for i := range plans {
				picks := dice.Perm(mutexes)[:3]
				if ordered {
					picks = []int{i % 4, i%4 + 1, i%4 + 2}
				}
				inner := step.Step[string, string](syncx.Sync(m[picks[2]], s.body()))
				if i%3 == 0 {
					inner = join(inner, syncx.Sync(m[picks[2]], s.body()))
				}
				plans[i] = syncx.Sync(m[picks[0]], syncx.Sync(m[picks[1]], inner))
			}
			group := tool.NewGroup(stressLoops, tool.Options{})
			defer shutdown(t, group)
			results := make([]run, runs)
			for i := range results {
				results[i] = flow.Start(context.Background(), group.Next(), plans[dice.IntN(len(plans))], "x")
				if i >= 64 {
					<-results[i-64].Done()
				}
				if dice.IntN(16) == 0 {
					results[i].Cancel(nil)
				}
			}
			for _, r := range results {
				<-r.Done()
				_, err := r.Result()
				s.count(err)
				if errors.Is(err, syncx.Deadlock) && ordered {
					t.Fatalf("accused: %v", err)
				}
			}
			for _, m := range m {
				wantStats(t, m, 0, 0)
			}
			if n := s.of(syncx.Deadlock); !ordered && n == 0 && !testing.Short() {
				t.Error("no deadlock in all these runs: the test tests nothing")
			}
			t.Logf("%d deadlocks in %d runs, ok %d", s.of(syncx.Deadlock), runs, s.of(""))
		})
	}
}
