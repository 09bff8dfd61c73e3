package nats_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

// BenchmarkFree measures a mutex that is free, and a key that is created and deleted.
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

// BenchmarkHandoffs measures a mutex for which processes wait, and a plain lock of a key, without lease, fence and order.
func BenchmarkHandoffs(b *testing.B) {
	b.Run("col=asyncsteps", func(b *testing.B) {
		clustertest.Handoffs(b, func(tb testing.TB) func() clustertest.Enter {
			s := serve(tb)
			return func() clustertest.Enter { return clustertest.Entering(s.Connect(10*time.Second).Mutex("m", 1, -1)) }
		})
	})
	b.Run("col=key", func(b *testing.B) {
		clustertest.Handoffs(b, func(tb testing.TB) func() clustertest.Enter {
			s := serve(tb)
			return func() clustertest.Enter {
				_, kv := s.bucket()
				w, err := kv.Watch(tb.Context(), "lock")
				if err != nil {
					tb.Fatal(err)
				}
				return func(ctx context.Context, inside func()) error { return lock(ctx, kv, w, inside) }
			}
		})
	})
}

// lock creates the key "lock" as soon as it doesn't exist, calls inside and deletes it. w is the process's watcher of the
// key.
func lock(ctx context.Context, kv jetstream.KeyValue, w jetstream.KeyWatcher, inside func()) error {
	revision, err := kv.Create(ctx, "lock", nil)
	for errors.Is(err, jetstream.ErrKeyExists) {
		e := <-w.Updates()
		if e == nil || e.Operation() == jetstream.KeyValuePut {
			continue
		}
		revision, err = kv.Create(ctx, "lock", nil)
	}
	if err != nil {
		return err
	}
	inside()
	return kv.Delete(ctx, "lock", jetstream.LastRevision(revision))
}
