package syncx_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/tool"
)

// randomLeases is a mutex whose leases other goroutines take back.
type randomLeases struct {
	*syncx.Mutex
	given chan syncx.Lease
}

func (g *randomLeases) Lease(_ *syncx.Ticket, l syncx.Lease) uint64 {
	select {
	case g.given <- l:
	default:
	}
	return 1
}

// G9: other goroutines take leases back at random moments, also after the section has ended.
func TestG9EvictionFromOtherGoroutines(t *testing.T) {
	loops := tool.NewGroup(2, tool.Options{})
	defer shutdown(t, loops)
	g := &randomLeases{syncx.NewMutex(3, -1), make(chan syncx.Lease, 100)}
	stop := make(chan struct{})
	var evictors sync.WaitGroup
	lost := make([]int, 2)
	for i := range lost {
		evictors.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			kept := make([]syncx.Lease, 64)
			for {
				select {
				case l := <-g.given:
					kept[r.IntN(len(kept))] = l
				case <-stop:
					return
				}
				if kept[r.IntN(len(kept))].Lose(errStolen) {
					lost[i]++
				}
			}
		})
	}
	plan := syncx.Sync(g, flow.Then(step.Map(func(in string) string { return in }), pause()))
	evicted, ended := 0, 0
	for range 40 {
		var runs []run
		for range 50 {
			runs = append(runs, flow.Start(context.Background(), loops.Next(), plan, "a"))
		}
		for _, r := range runs {
			_, err := r.Wait(t.Context())
			switch {
			case err == nil:
				ended++
			case errors.Is(err, syncx.LeaseLost) && errors.Is(err, errStolen):
				evicted++
			default:
				t.Errorf("ended with %v", err)
			}
		}
	}
	close(stop)
	evictors.Wait()
	wantStats(t, g, 0, 0)
	if n := lost[0] + lost[1]; evicted > n || n == 0 || ended == 0 {
		t.Errorf("%d evictions, %d runs evicted, %d with success", n, evicted, ended)
	}
}

func pause() stringStep {
	var executed atomic.Uint64
	return step.New(func(as step.Scope, name string) step.Next[string] {
		return step.Wait(as, func(done step.Done[string]) {
			moment := time.Duration(rand.New(rand.NewPCG(2, executed.Add(1))).IntN(50_000))
			_, err := as.Loop().Deferred(moment, func() { done.Succeed(name) })
			if err != nil {
				done.Fail(err)
			}
		})
	})
}
