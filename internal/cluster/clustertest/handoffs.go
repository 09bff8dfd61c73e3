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

// Handoffs measures handoffs of the only place between processes, each of which has a connection of its own and enters
// again and again for a millisecond. Fair would be one share of the sections for each; the metric is the least share that
// one gets, in percent of that.
func Handoffs(b *testing.B, serve func(testing.TB) Server) {
	b.Helper()
	for _, n := range []int{4, 20, 50} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := serve(b)
			section := step.Await(func(_ context.Context, name string) (string, error) {
				time.Sleep(time.Millisecond)
				return name, nil
			})
			var left atomic.Int64
			left.Store(int64(b.N))
			got := make([]int, n)
			var all sync.WaitGroup
			b.ResetTimer()
			for i := range n {
				plan := syncx.Sync(s.Connect(10*time.Second).Mutex("m", 1, -1), section)
				all.Go(func() {
					for left.Add(-1) >= 0 {
						if _, err := flow.Run(b.Context(), plan, ""); err != nil {
							b.Error(err)
							return
						}
						got[i]++
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "handoffs/s")
			b.ReportMetric(100*float64(slices.Min(got)*n)/float64(b.N), "%fair")
		})
	}
}
