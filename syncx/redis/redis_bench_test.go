package redis_test

import (
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

// BenchmarkFree measures a mutex that is free, and the commands of a lock with a fence, each a request of its own.
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
