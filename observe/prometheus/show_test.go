package prometheus_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

func busy(h *harness) {
	mutex := syncx.NewMutex(1, 5)
	h.Guard("mutex", mutex)
	h.Loop("main", h.loop)
	start(h, syncx.Sync(mutex, plantest.Delay("in", time.Second)))
	start(h, syncx.Sync(mutex, plantest.Delay("in", time.Second)))
	start(h, flow.Timeout(time.Second, plantest.Delay("late", time.Hour)))
	start(h, plantest.Delay("gone", time.Hour)).Cancel(nil)
	start(h, plantest.Named("bad", errBad))
	start(h, naps())
	h.loop.Run()
	start(h, syncx.Sync(mutex, plantest.Delay("in", time.Second)))
}

func TestGuards(t *testing.T) {
	h := newHarness(t)
	mutex := syncx.NewMutex(2, -1)
	throttle := syncx.NewThrottle(1, time.Minute, -1)
	limiter := syncx.NewLimiter(syncx.Limits{MaxQueue: 5})
	for range 5 {
		start(h, syncx.Sync(mutex, plantest.Delay("", time.Hour)))
		start(h, syncx.Sync(throttle, plantest.Delay("", time.Hour)))
		start(h, syncx.Sync(limiter, plantest.Delay("", time.Hour)))
	}
	h.Guard("m", limiter)
	h.Guard("m", mutex)
	h.Guard("t", throttle)
	h.Guard("l", limiter)
	h.Guard("gone", mutex)
	h.Guard("gone", nil)
	h.Guard("zero", new(syncx.Mutex))
	h.Guard("nothing", (*syncx.Mutex)(nil))
	h.wantSamples("guard_inside guard_queued",
		`guard_inside{guard="l"} 1`, `guard_inside{guard="m"} 2`, `guard_inside{guard="t"} 1`,
		`guard_queued{guard="l"} 4`, `guard_queued{guard="m"} 3`, `guard_queued{guard="t"} 4`)
	h.loop.Run()
	h.wantSamples("guard_inside guard_queued",
		`guard_inside{guard="l"} 0`, `guard_inside{guard="m"} 0`, `guard_inside{guard="t"} 0`,
		`guard_queued{guard="l"} 0`, `guard_queued{guard="m"} 0`, `guard_queued{guard="t"} 0`)
}

// blocked keeps l busy with one callback for d, and closes over then.
func blocked(t *testing.T, l tool.Tool, d time.Duration) (over chan step.Unit) {
	t.Helper()
	begun, over := make(chan step.Unit), make(chan step.Unit)
	if _, err := l.Immediate(func() {
		close(begun)
		time.Sleep(d)
		close(over)
	}); err != nil {
		t.Fatal(err)
	}
	<-begun
	return over
}

func TestLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		free, late, stuck := tool.Start(tool.Options{}), tool.Start(tool.Options{}), tool.Start(tool.Options{})
		h.Loop("free", stuck)
		h.Loop("free", free)
		h.Loop("late", late)
		h.Loop("stuck", stuck)
		h.Loop("gone", stuck)
		h.Loop("gone", nil)

		blocked(t, late, 50*time.Millisecond)
		over := blocked(t, stuck, 10*time.Second)
		began := time.Now()
		h.wantSamples("loop_lag_seconds", `loop_lag_seconds{loop="free"} 0`, `loop_lag_seconds{loop="late"} 0.05`, `loop_lag_seconds{loop="stuck"} 0.1`)
		if took := time.Since(began); took != 100*time.Millisecond {
			t.Errorf("the first scrape took %v", took)
		}

		time.Sleep(time.Second)
		began = time.Now()
		h.wantSamples("loop_lag_seconds", `loop_lag_seconds{loop="free"} 0`, `loop_lag_seconds{loop="late"} 0`, `loop_lag_seconds{loop="stuck"} 1.1`)
		if took := time.Since(began); took != 0 {
			t.Errorf("the second scrape took %v, though nothing new was to be learnt", took)
		}

		<-over
		synctest.Wait()
		h.wantSamples("loop_lag_seconds", `loop_lag_seconds{loop="free"} 0`, `loop_lag_seconds{loop="late"} 0`, `loop_lag_seconds{loop="stuck"} 0`)

		for _, l := range []*tool.Loop{free, late, stuck} {
			if err := l.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		}
		h.wantSamples("loop_lag_seconds")
	})
}

func TestScrapesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		stuck := tool.Start(tool.Options{})
		h.Loop("stuck", stuck)
		over := blocked(t, stuck, time.Second)
		var scrapes sync.WaitGroup
		for range 2 {
			scrapes.Go(func() { h.wantSamples("loop_lag_seconds", `loop_lag_seconds{loop="stuck"} 0.1`) })
		}
		scrapes.Wait()
		<-over
		if err := stuck.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		h.Loop("idle", h.loop)
		for range 3 {
			h.wantSamples("loop_lag_seconds", `loop_lag_seconds{loop="idle"} 0`) // virtual time stands still
			if n := h.loop.Pending(); n != 1 {
				t.Fatalf("%d callbacks wait", n)
			}
		}
		h.Loop("idle", nil)
		if n := h.loop.Pending(); n != 0 {
			t.Errorf("%d callbacks wait", n)
		}
	})
}
