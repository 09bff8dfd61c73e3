package nats_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/cluster/clustertest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
	"github.com/futoin-go/asyncsteps/syncx/nats"
)

// The tests that all guards of several processes share are run by TestGuards.

var pass = step.Map(func(name string) string { return name })

// forgetful is a bucket whose writes succeed, but some answers of its server are lost.
type forgetful struct {
	jetstream.KeyValue
	create, update atomic.Int64 // how many answers are still to be lost
}

func (f *forgetful) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	revision, err := f.KeyValue.Create(ctx, key, value, opts...)
	if err == nil && f.create.Add(-1) >= 0 {
		return 0, context.DeadlineExceeded
	}
	return revision, err
}

func (f *forgetful) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	revision, err := f.KeyValue.Update(ctx, key, value, revision)
	if err == nil && f.update.Add(-1) >= 0 {
		return 0, context.DeadlineExceeded
	}
	return revision, err
}

// If the answer to the write that takes a place is lost, the place is recognised as taken by this process.
func TestAnswerToTakingIsLost(t *testing.T) {
	_, kv := serve(t).bucket()
	f := &forgetful{KeyValue: kv}
	f.create.Store(1)
	if _, err := flow.Run(t.Context(), syncx.Sync(nats.New(f, time.Minute).Mutex("m", 1, -1), pass), ""); err != nil {
		t.Error(err)
	}
}

// If the answers to renewals are lost, the place is still held, and it is given back in the end.
func TestAnswersToRenewalsAreLost(t *testing.T) {
	_, kv := serve(t).bucket()
	f := &forgetful{KeyValue: kv}
	f.update.Store(2)
	stay := step.Await(func(ctx context.Context, in string) (string, error) {
		clustertest.Eventually(t, "renewals", func() bool { return f.update.Load() < -1 })
		return in, ctx.Err()
	})
	if _, err := flow.Run(t.Context(), syncx.Sync(nats.New(f, 2*time.Second).Mutex("m", 1, -1), stay), ""); err != nil {
		t.Error(err)
	}
	clustertest.Eventually(t, "the key is deleted", func() bool {
		_, err := kv.Get(t.Context(), "m.places.0")
		return errors.Is(err, jetstream.ErrKeyNotFound)
	})
}

// A holder that no longer renews is replaced a lease after its last renewal: not earlier, and not much later.
func TestTakeoverIsALeaseAfterTheLastRenewal(t *testing.T) {
	const lease = 3 * time.Second
	_, kv := serve(t).bucket()
	write := func() {
		if _, err := kv.PutString(t.Context(), "m.places.0", "holder"); err != nil {
			t.Error(err)
		}
	}
	write()
	entered, ended := make(chan time.Time, 1), make(chan error, 1)
	note := step.Map(func(in string) string {
		entered <- time.Now()
		return in
	})
	go func() {
		_, err := flow.Run(t.Context(), syncx.Sync(nats.New(kv, lease).Mutex("m", 1, -1), note), "")
		ended <- err
	}()
	<-time.After(lease / 5)
	before := time.Now()
	write()
	after := time.Now()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	at := <-entered
	if took := at.Sub(before); took < lease {
		t.Errorf("the place was taken over after %v", took)
	}
	if took := at.Sub(after); took > lease*3/2 {
		t.Errorf("the place was taken over after %v", took)
	}
}

// A guard that wasn't made by a method of Guards isn't well formed.
func TestNotMadeByNew(t *testing.T) {
	for what, g := range map[string]syncx.Guard{
		"no bucket":         nats.New(nil, time.Minute).Mutex("m", 1, 0),
		"the zero Guards":   new(nats.Guards).Throttle("t", 1, time.Second, 0),
		"nil Guards":        (*nats.Guards)(nil).Limiter("l", syncx.Limits{}),
		"the zero Mutex":    new(nats.Mutex),
		"the zero Throttle": new(nats.Throttle),
		"the zero Limiter":  new(nats.Limiter),
		"a nil Mutex":       (*nats.Mutex)(nil),
		"a nil Throttle":    (*nats.Throttle)(nil),
		"a nil Limiter":     (*nats.Limiter)(nil),
	} {
		if err := syncx.Sync(g, pass).Err(); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A name must be usable as a part of a bucket's key.
func TestNameIsNoKey(t *testing.T) {
	_, kv := serve(t).bucket()
	for _, name := range []string{"a b", "a..b", ".a", "a.", "a*", "ä"} {
		if err := nats.New(kv, time.Minute).Mutex(name, 1, 0).Err(); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q: %v", name, err)
		}
	}
}
