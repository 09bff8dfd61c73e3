package nats_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

// A mutex that is free, and for comparison the requests that it makes: a key is created and deleted.
func BenchmarkFree(b *testing.B) {
	_, kv := serve(b).bucket()
	b.Run("mutex", func(b *testing.B) {
		plan := syncx.Sync(nats.New(kv, time.Minute).Mutex("m", 1, -1), pass)
		for b.Loop() {
			if _, err := flow.Run(b.Context(), plan, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("client", func(b *testing.B) {
		for b.Loop() {
			revision, err := kv.Create(b.Context(), "bare", []byte("me"))
			if err == nil {
				err = kv.Delete(b.Context(), "bare", jetstream.LastRevision(revision))
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkHandoffs(b *testing.B) {
	clustertest.Handoffs(b, func(t testing.TB) clustertest.Server { return serve(t) })
}
