package nats_test

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/syncx"
)

// A free mutex against what it asks of the bare client: a key is created and deleted.
func BenchmarkFree(b *testing.B) {
	p := newProcess(b, serve(b, b.TempDir(), anyPort), long)
	b.Run("mutex", func(b *testing.B) {
		plan := syncx.Sync(p.guards.Mutex("m", 1, -1), pass)
		for b.Loop() {
			if _, err := flow.Run(b.Context(), plan, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("client", func(b *testing.B) {
		for b.Loop() {
			revision, err := p.kv.Create(b.Context(), "bare", []byte("me"))
			if err == nil {
				err = p.kv.Delete(b.Context(), "bare", jetstream.LastRevision(revision))
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}
