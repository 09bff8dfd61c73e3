package prometheus_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// busy adds a sample to every metric.
func busy(r *rig) {
	mutex := syncx.NewMutex(1, 5)
	r.Guard("mutex", mutex)
	r.Loop("main", r.loop)
	start(r, syncx.Sync(mutex, takes("in", time.Second)))
	start(r, syncx.Sync(mutex, takes("in", time.Second)))
	start(r, flow.Timeout(time.Second, takes("late", time.Hour)))
	start(r, takes("gone", time.Hour)).Cancel(nil)
	start(r, does("bad", errBad))
	start(r, naps())
	r.loop.Run()
	start(r, syncx.Sync(mutex, takes("in", time.Second)))
}

func TestGuards(t *testing.T) {
	r := newRig(t)
	mutex := syncx.NewMutex(2, -1)
	throttle := syncx.NewThrottle(1, time.Minute, -1)
	limiter := syncx.NewLimiter(syncx.Limits{MaxQueue: 5})
	for range 5 {
		start(r, syncx.Sync(mutex, takes("", time.Hour)))
		start(r, syncx.Sync(throttle, takes("", time.Hour)))
		start(r, syncx.Sync(limiter, takes("", time.Hour)))
	}
	r.Guard("m", limiter)
	r.Guard("m", mutex)
	r.Guard("t", throttle)
	r.Guard("l", limiter)
	r.Guard("gone", mutex)
	r.Guard("gone", nil)
	r.Guard("zero", new(syncx.Mutex))
	r.Guard("nothing", (*syncx.Mutex)(nil))
	r.is("guard_inside guard_queued",
		`guard_inside{guard="l"} 1`, `guard_inside{guard="m"} 2`, `guard_inside{guard="t"} 1`,
		`guard_queued{guard="l"} 4`, `guard_queued{guard="m"} 3`, `guard_queued{guard="t"} 4`)
	r.loop.Run()
	r.is("guard_inside guard_queued",
		`guard_inside{guard="l"} 0`, `guard_inside{guard="m"} 0`, `guard_inside{guard="t"} 0`,
		`guard_queued{guard="l"} 0`, `guard_queued{guard="m"} 0`, `guard_queued{guard="t"} 0`)
}

// blocked keeps a loop busy with one callback for d. over is closed when the callback returns.
func blocked(t *testing.T, l tool.Tool, d time.Duration) (over chan none) {
	t.Helper()
	begun, over := make(chan none), make(chan none)
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
		r := newRig(t)
		free, late, stuck := tool.Start(tool.Options{}), tool.Start(tool.Options{}), tool.Start(tool.Options{})
		r.Loop("free", stuck)
		r.Loop("free", free)
		r.Loop("late", late)
		r.Loop("stuck", stuck)
		r.Loop("gone", stuck)
		r.Loop("gone", nil)

		blocked(t, late, 50*time.Millisecond)
		over := blocked(t, stuck, 10*time.Second)
		began := time.Now()
		r.is("loop_lag_seconds", `loop_lag_seconds{loop="free"} 0`, `loop_lag_seconds{loop="late"} 0.05`, `loop_lag_seconds{loop="stuck"} 0.1`)
		if took := time.Since(began); took != 100*time.Millisecond {
			t.Errorf("the first scrape took %v", took)
		}

		time.Sleep(time.Second)
		began = time.Now()
		r.is("loop_lag_seconds", `loop_lag_seconds{loop="free"} 0`, `loop_lag_seconds{loop="late"} 0`, `loop_lag_seconds{loop="stuck"} 1.1`)
		if took := time.Since(began); took != 0 {
			t.Errorf("the second scrape took %v, though nothing new was to be learnt", took)
		}

		<-over
		synctest.Wait()
		r.is("loop_lag_seconds", `loop_lag_seconds{loop="free"} 0`, `loop_lag_seconds{loop="late"} 0`, `loop_lag_seconds{loop="stuck"} 0`)

		for _, l := range []*tool.Loop{free, late, stuck} {
			if err := l.Shutdown(context.Background()); err != nil {
				t.Error(err)
			}
		}
		r.is("loop_lag_seconds")
	})
}

// Two scrapes at the same time wait for the same probe.
func TestScrapesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		stuck := tool.Start(tool.Options{})
		r.Loop("stuck", stuck)
		over := blocked(t, stuck, time.Second)
		var scrapes sync.WaitGroup
		for range 2 {
			scrapes.Go(func() { r.is("loop_lag_seconds", `loop_lag_seconds{loop="stuck"} 0.1`) })
		}
		scrapes.Wait()
		<-over
		if err := stuck.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// A loop has at most one pending probe, and none when it is no longer registered.
func TestProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.Loop("idle", r.loop)
		for range 3 {
			r.is("loop_lag_seconds", `loop_lag_seconds{loop="idle"} 0`) // virtual time stands still
			if n := r.loop.Pending(); n != 1 {
				t.Fatalf("%d callbacks wait", n)
			}
		}
		r.Loop("idle", nil)
		if n := r.loop.Pending(); n != 0 {
			t.Errorf("%d callbacks wait", n)
		}
	})
}
