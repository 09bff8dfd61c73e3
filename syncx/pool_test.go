package syncx_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

func TestPoolIsSharedAndBounded(t *testing.T) {
	pool := syncx.NewPool(3)
	var inside, most atomic.Int64
	body := func(_ context.Context, in int) (int, error) {
		n := inside.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		runtime.Gosched()
		inside.Add(-1)
		return in + 1, nil
	}
	var both sync.WaitGroup
	for range 2 {
		plan := flow.ParEach(50, syncx.Sync(pool, step.Await(body)))
		both.Go(func() {
			out, err := flow.Run(t.Context(), plan, make([]int, 200))
			if err != nil || len(out) != 200 || out[199] != 1 {
				t.Errorf("got %d results, %v", len(out), err)
			}
		})
	}
	both.Wait()
	if n := most.Load(); n > 3 || n == 0 {
		t.Errorf("%d bodies at once, want at most 3", n)
	}
	if pool.Inside() != 0 || pool.Queued() != 0 {
		t.Errorf("%d inside, %d queued in the end", pool.Inside(), pool.Queued())
	}
}

func TestPoolFollowsTheProcessors(t *testing.T) {
	pool := syncx.NewPool(0)
	var begun sync.WaitGroup
	begun.Add(runtime.GOMAXPROCS(0))
	ctx, cancel := context.WithCancel(t.Context())
	held := syncx.Sync(pool, step.Await(func(ctx context.Context, in int) (int, error) {
		begun.Done()
		<-ctx.Done()
		return in, nil
	}))
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		begun.Wait() // the pool is full
		cancel()
	}()
	if _, err := flow.Run(ctx, flow.ParEach(1000, held), make([]int, 1000)); !errors.Is(err, fault.Cancelled) {
		t.Errorf("got %v", err)
	}
	<-stopped
}

func TestBadPool(t *testing.T) {
	err := syncx.Sync(syncx.NewPool(-1), step.Await(func(context.Context, int) (int, error) { return 0, nil })).Err()
	if !errors.Is(err, fault.InvalidRequest) || !strings.Contains(err.Error(), "pool: the maximum must be at least 1") {
		t.Errorf("got %v", err)
	}
}
