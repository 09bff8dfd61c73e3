package redis_test

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
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

// A mutex that is free, and for comparison the commands of a lock with a fence, each a request of its own.
func BenchmarkFree(b *testing.B) {
	client := serve(b).client()
	b.Run("mutex", func(b *testing.B) {
		plan := syncx.Sync(redis.New(client, time.Minute).Mutex("m", 1, -1), pass)
		for b.Loop() {
			if _, err := flow.Run(b.Context(), plan, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("client", func(b *testing.B) {
		for b.Loop() {
			err := client.SetNX(b.Context(), "bare", "token", time.Minute).Err()
			if err == nil {
				err = client.Incr(b.Context(), "fence").Err()
			}
			if err == nil {
				err = client.Del(b.Context(), "bare").Err()
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Handoffs of the only place between processes, each of which has a connection of its own and enters again and again for a
// millisecond. Fair would be one share of the sections for each; the metric is the least share that one gets, in
// percent of that.
func BenchmarkHandoffs(b *testing.B) {
	for _, n := range []int{4, 20} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			s := serve(b)
			section := step.Await(func(ctx context.Context, name string) (string, error) {
				time.Sleep(time.Millisecond)
				return name, nil
			})
			var left atomic.Int64
			left.Store(int64(b.N))
			got := make([]int, n)
			var all sync.WaitGroup
			b.ResetTimer()
			for i := range n {
				plan := syncx.Sync(redis.New(s.client(), 10*time.Second).Mutex("m", 1, -1), section)
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
