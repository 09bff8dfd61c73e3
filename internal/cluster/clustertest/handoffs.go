package clustertest

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// Enter waits for the only place, calls inside, and gives the place back.
type Enter func(ctx context.Context, inside func()) error

// Entering returns the Enter of a guard.
func Entering(g syncx.Guard) Enter {
	plan := syncx.Sync(g, step.Await(func(_ context.Context, inside func()) (int, error) {
		inside()
		return 0, nil
	}))
	return func(ctx context.Context, inside func()) error {
		_, err := flow.Run(ctx, plan, inside)
		return err
	}
}

// Handoffs measures handoffs of the only place between processes, each of which enters again and again for a millisecond.
// start starts a server, and returns a function that connects one process to it. The processes are goroutines, each with a
// connection of its own. With a fair server each would enter equally often; the metric %fair is the least share that any
// process gets, in percent of the fair share.
func Handoffs(b *testing.B, start func(testing.TB) (connect func() Enter)) {
	b.Helper()
	for _, n := range []int{4, 20, 50} {
		b.Run("n="+strconv.Itoa(n), func(b *testing.B) {
			connect := start(b)
			processes := make([]Enter, n)
			for i := range processes {
				processes[i] = connect()
			}
			handOver(b, processes)
		})
	}
}

func handOver(b *testing.B, processes []Enter) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(b.N))
	got := make([]int, len(processes))
	var all sync.WaitGroup
	b.ResetTimer()
	for i, enter := range processes {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := enter(b.Context(), func() { time.Sleep(time.Millisecond) }); err != nil {
					b.Error(err)
					return
				}
				got[i]++
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "handoffs/s")
	b.ReportMetric(100*float64(slices.Min(got)*len(processes))/float64(b.N), "%fair")
}
