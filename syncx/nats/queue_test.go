package nats_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

// When a name isn't used any more, PurgeDeletes leaves nothing of it. The next fence is larger all the same.
func TestNothingIsLeftOfAName(t *testing.T) {
	s := serve(t)
	_, kv := s.bucket()
	var fences []uint64
	contend := func() {
		began, let := make(chan struct{}, 2), make(chan struct{})
		section := step.Await(func(ctx context.Context, name string) (string, error) {
			fences = append(fences, syncx.Fence(ctx))
			began <- struct{}{}
			<-let
			return name, nil
		})
		ended := make(chan error, 2)
		enter := func() *nats.Mutex {
			_, kv := s.bucket()
			m := nats.New(kv, time.Minute).Mutex("m", 1, -1)
			go func() {
				_, err := flow.Run(t.Context(), syncx.Sync(m, section), "")
				ended <- err
			}()
			return m
		}
		enter()
		<-began
		second := enter()
		clustertest.Eventually(t, "it stands in the queue", func() bool {
			e, err := kv.Get(t.Context(), "m.places.queue")
			return second.Queued() == 1 && err == nil && len(e.Value()) > 0
		})
		close(let)
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		for _, key := range []string{"m.places.0", "m.places.queue"} {
			clustertest.Eventually(t, key+" is deleted", func() bool {
				_, err := kv.Get(t.Context(), key)
				return errors.Is(err, jetstream.ErrKeyNotFound)
			})
		}
	}
	contend()
	if err := kv.PurgeDeletes(t.Context(), jetstream.DeleteMarkersOlderThan(-1)); err != nil {
		t.Fatal(err)
	}
	if _, err := kv.History(t.Context(), "m.>"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("something is left: %v", err)
	}
	contend()
	for i := range fences[1:] {
		if fences[i] >= fences[i+1] {
			t.Errorf("fences %v don't rise", fences)
		}
	}
}
