package tool_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/tool"
)

// Producers on many goroutines schedule and cancel. Each callback runs once or was cancelled, callbacks don't
// overlap, and the immediates of each producer keep their order.
func TestStress(t *testing.T) {
	const producers, each = 8, 2000
	t.Run("Loop", func(t *testing.T) {
		l := tool.Start(tool.Options{})
		stress(t, l, producers, each).Wait()
		if err := l.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	t.Run("Manual", func(t *testing.T) {
		m := tool.NewManual(tool.Options{})
		ctx, cancel := context.WithCancel(context.Background())
		all := stress(t, m, producers, each)
		go func() { all.Wait(); cancel() }()
		for {
			for m.Iterate() {
			}
			if m.Wait(ctx) != nil {
				return
			}
		}
	})
}

// stress starts the producers. The group that it returns is done when the callbacks have run or were cancelled.
func stress(t *testing.T, l tool.Tool, producers, each int) *sync.WaitGroup {
	var all sync.WaitGroup
	var inside atomic.Int32
	for p := range producers {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(p), 0))
			last := -1 // only used by callbacks
			for i := range each {
				all.Add(1)
				fn := func() {
					defer all.Done()
					if inside.Add(1) != 1 {
						t.Error("two callbacks at once")
					}
					inside.Add(-1)
				}
				var h tool.Handle
				if r.IntN(2) == 0 {
					h = mustSchedule(t)(l.Immediate(func() {
						fn()
						if i < last {
							t.Errorf("producer %d: %d after %d", p, i, last)
						}
						last = i
					}))
				} else {
					h = mustSchedule(t)(l.Deferred(time.Duration(r.IntN(int(time.Millisecond))), fn))
				}
				if r.IntN(3) == 0 && l.Cancel(h) {
					all.Done() // it won't run; otherwise Done would panic
				}
			}
		})
	}
	return &all
}
