package nats_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

// silentWatchBucket has a first watcher that tells nothing.
type silentWatchBucket struct {
	jetstream.KeyValue
	watchers atomic.Int64
}

func (s *silentWatchBucket) Watch(ctx context.Context, keys string, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	w, err := s.KeyValue.Watch(ctx, keys, opts...)
	if err != nil || s.watchers.Add(1) > 1 {
		return w, err
	}
	return silentWatcher{w}, nil
}

type silentWatcher struct{ jetstream.KeyWatcher }

func (silentWatcher) Updates() <-chan jetstream.KeyValueEntry { return nil }

type unwatchableBucket struct{ jetstream.KeyValue }

func (unwatchableBucket) Watch(context.Context, string, ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	return nil, errors.New("not allowed")
}

// A process that hears no calls finds a free place all the same. The lease is an hour.
func TestWaiterIsNotTold(t *testing.T) {
	for name, untold := range map[string]func(jetstream.KeyValue) jetstream.KeyValue{
		"by its watcher": func(kv jetstream.KeyValue) jetstream.KeyValue { return &silentWatchBucket{KeyValue: kv} },
		"by any":         func(kv jetstream.KeyValue) jetstream.KeyValue { return unwatchableBucket{kv} },
	} {
		t.Run(name, func(t *testing.T) {
			_, kv := serve(t).bucket()
			if _, err := kv.PutString(t.Context(), "m.places.0", "holder"); err != nil {
				t.Fatal(err)
			}
			m := nats.New(untold(kv), time.Hour).Mutex("m", 1, -1)
			ended := make(chan error, 1)
			go func() {
				_, err := flow.Run(t.Context(), syncx.Sync(m, pass), "")
				ended <- err
			}()
			clustertest.Eventually(t, "it waits", func() bool { return m.Queued() == 1 })
			if err := kv.Delete(t.Context(), "m.places.0"); err != nil {
				t.Fatal(err)
			}
			wantEnd(t, ended)
		})
	}
}

// wantEnd checks that a waiting run gets its place and succeeds.
func wantEnd(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("it isn't told that the place is free, and waits for ever")
	}
}

func await(c chan struct{}) step.Step[string, string] {
	return step.Await(func(ctx context.Context, name string) (string, error) {
		select {
		case <-c:
			return name, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
}

func TestQueueIsDamaged(t *testing.T) {
	_, kv := serve(t).bucket()
	if _, err := kv.PutString(t.Context(), "m.places.queue", "\x00 : :: a:b me:18446744073709551616 a:1/2"); err != nil {
		t.Fatal(err)
	}
	m := nats.New(kv, time.Second).Mutex("m", 1, -1)
	hold := make(chan struct{})
	first, second := make(chan error, 1), make(chan error, 1)
	enter := func(ended chan error) {
		_, err := flow.Run(t.Context(), syncx.Sync(m, await(hold)), "")
		ended <- err
	}
	go enter(first)
	clustertest.Eventually(t, "it is inside", func() bool { return m.Inside() == 1 })
	go enter(second)
	clustertest.Eventually(t, "the other one waits", func() bool { return m.Queued() == 1 })
	if err := kv.Purge(t.Context(), "m.places.queue"); err != nil {
		t.Fatal(err)
	}
	close(hold)
	for _, ended := range []chan error{first, second} {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
