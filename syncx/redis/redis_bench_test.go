package redis_test

import (
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/redis"
)

// A mutex that is free, and for comparison the requests that it makes: a lock, a counter, an unlock.
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
		locks := redsync.New(goredis.NewPool(client))
		for b.Loop() {
			lock := locks.NewMutex("bare", redsync.WithExpiry(time.Minute))
			err := lock.LockContext(b.Context())
			if err == nil {
				err = client.Incr(b.Context(), "fence").Err()
			}
			if err == nil {
				_, err = lock.UnlockContext(b.Context())
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
