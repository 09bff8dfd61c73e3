package nats_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
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

var pass = step.Map(func(name string) string { return name })

// answerLosingBucket loses the answers to some writes that succeed.
type answerLosingBucket struct {
	jetstream.KeyValue
	create, update atomic.Int64 // how many answers are still to be lost
}

func (f *answerLosingBucket) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	revision, err := f.KeyValue.Create(ctx, key, value, opts...)
	if err == nil && f.create.Add(-1) >= 0 {
		return 0, context.DeadlineExceeded
	}
	return revision, err
}

func (f *answerLosingBucket) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	revision, err := f.KeyValue.Update(ctx, key, value, revision)
	if err == nil && f.update.Add(-1) >= 0 {
		return 0, context.DeadlineExceeded
	}
	return revision, err
}

func TestAnswerToTakingIsLost(t *testing.T) {
	_, kv := serve(t).bucket()
	f := &answerLosingBucket{KeyValue: kv}
	f.create.Store(1)
	if _, err := flow.Run(t.Context(), syncx.Sync(nats.New(f, time.Minute).Mutex("m", 1, -1), pass), ""); err != nil {
		t.Error(err)
	}
}

// creatingBucket loses the first answer to a Create that succeeds, and notes the keys.
type creatingBucket struct {
	jetstream.KeyValue
	keys []string
	lost string // the key of the place that was taken
}

func (c *creatingBucket) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	c.keys = append(c.keys, key)
	revision, err := c.KeyValue.Create(ctx, key, value, opts...)
	if err == nil && c.lost == "" {
		c.lost = key
		return 0, context.DeadlineExceeded
	}
	return revision, err
}

// The place whose answer was lost is asked about before any other: that another one is taken says nothing about it.
func TestAnswerToTakingOneOfSeveralIsLost(t *testing.T) {
	_, kv := serve(t).bucket()
	for i := range 8 {
		name := fmt.Sprint("m", i)
		for j := range 3 {
			if _, err := kv.PutString(t.Context(), fmt.Sprintf("%s.places.%d", name, j), "holder"); err != nil {
				t.Fatal(err)
			}
		}
		f := &creatingBucket{KeyValue: kv}
		if _, err := flow.Run(t.Context(), syncx.Sync(nats.New(f, time.Hour).Mutex(name, 4, -1), pass), ""); err != nil {
			t.Error(err)
		}
		if n := len(f.keys); f.lost != name+".places.3" || n < 2 || f.keys[n-1] != f.lost || f.keys[n-2] != f.lost {
			t.Errorf("%q was lost, and taken in the order %q", f.lost, f.keys)
		}
	}
}

// The place stays held, and is given back in the end.
func TestAnswersToRenewalsAreLost(t *testing.T) {
	_, kv := serve(t).bucket()
	f := &answerLosingBucket{KeyValue: kv}
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

// A place is taken over no earlier than a lease after its last renewal, and not much later.
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

// skewedBucket has a server whose clock is ahead of that of this process by the given time.
type skewedBucket struct {
	jetstream.KeyValue
	by time.Duration
}

type entry struct {
	jetstream.KeyValueEntry
	created time.Time
}

func (e entry) Created() time.Time { return e.created }

func (a skewedBucket) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	e, err := a.KeyValue.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	return entry{e, e.Created().Add(a.by)}, nil
}

func (a skewedBucket) Status(ctx context.Context) (jetstream.KeyValueStatus, error) {
	s, err := a.KeyValue.Status(ctx)
	if b, ok := s.(*jetstream.KeyValueBucketStatus); ok {
		b.StreamInfo().TimeStamp = b.StreamInfo().TimeStamp.Add(a.by)
	}
	return s, err
}

func entries(t *testing.T, kv jetstream.KeyValue, n int) (entered int) {
	t.Helper()
	h := nats.New(kv, time.Minute).Throttle("t", 2, time.Hour, 0)
	for range n {
		switch _, err := flow.Run(t.Context(), syncx.Sync(h, pass), ""); fault.CodeOf(err) {
		case "":
			entered++
		case fault.DefenseRejected:
		default:
			t.Error(err)
		}
	}
	return entered
}

// A window begins with its first entry. When it is over, all entries are allowed again.
func TestWindows(t *testing.T) {
	_, kv := serve(t).bucket()
	for _, c := range []struct{ at, want int }{{0, 2}, {1, 0}, {31, 0}, {59, 0}, {80, 2}, {125, 0}, {141, 2}} {
		if got := entries(t, skewedBucket{kv, time.Duration(c.at) * time.Minute}, 3); got != c.want {
			t.Errorf("%d flows enter after %d minutes, want %d", got, c.at, c.want)
		}
	}
}

func TestWindowsGoByTheServersClock(t *testing.T) {
	const years = 10 * 365 * 24 * time.Hour
	for _, by := range []time.Duration{-years, years} {
		_, kv := serve(t).bucket()
		for _, c := range []struct {
			reason string
			opened time.Duration // before now
			want   int
		}{
			{"the window is open", 50 * time.Minute, 1},
			{"the window is over", 70 * time.Minute, 2},
		} {
			opened := time.Now().Add(by - c.opened).UnixNano()
			if _, err := kv.PutString(t.Context(), "t.rate", fmt.Sprintf("%d 1", opened)); err != nil {
				t.Fatal(err)
			}
			if got := entries(t, skewedBucket{kv, by}, 3); got != c.want {
				t.Errorf("%s, and the server is ahead by %v: %d flows enter, want %d", c.reason, by, got, c.want)
			}
		}
	}
}

// slowBucket holds back the answer to a throttle's write until the test goes on.
type slowBucket struct {
	jetstream.KeyValue
	written, on chan struct{}
}

func (s *slowBucket) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	revision, err := s.KeyValue.Update(ctx, key, value, revision)
	s.written <- struct{}{}
	<-s.on
	return revision, err
}

// The window may be over when the entry of a cancelled flow would be given back: each window lets in two.
func TestCancelAddsNoEntry(t *testing.T) {
	_, kv := serve(t).bucket()
	if got := entries(t, kv, 1); got != 1 {
		t.Fatalf("%d have entered", got)
	}
	s := &slowBucket{kv, make(chan struct{}, 10), make(chan struct{})}
	h := nats.New(s, time.Minute).Throttle("t", 2, time.Hour, -1)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := flow.Run(ctx, syncx.Sync(h, pass), "")
		ended <- err
	}()
	<-s.written
	cancel()
	if err := <-ended; fault.CodeOf(err) != fault.Cancelled {
		t.Errorf("ended with %v", err)
	}
	if got := entries(t, kv, 1); got != 0 {
		t.Errorf("%d have entered in place of the flow that was cancelled", got)
	}
	next := skewedBucket{kv, 70 * time.Minute} // the window is over
	if got := entries(t, next, 1); got != 1 {
		t.Errorf("%d have entered the next window", got)
	}
	close(s.on)
	for len(s.written) == 0 { // until h asks again; before, the entry that it was given goes to this flow
		if _, err := flow.Run(t.Context(), syncx.Sync(h, pass), ""); err != nil {
			t.Fatal(err)
		}
	}
	if got := entries(t, kv, 2); got != 0 {
		t.Errorf("%d more than two have entered the next window", got)
	}
}

// lateBucket holds back the answer to a guard's write until the test goes on.
type lateBucket struct {
	jetstream.KeyValue
	written, on chan struct{}
}

func (l *lateBucket) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	revision, err := l.KeyValue.Create(ctx, key, value, opts...)
	l.written <- struct{}{}
	select {
	case <-l.on:
		return revision, err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// The place that the server gives to the cancelled flow is given back before its lease is over.
func TestCancelWhileThePlaceIsTaken(t *testing.T) {
	_, kv := serve(t).bucket()
	l := &lateBucket{kv, make(chan struct{}, 1), make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := flow.Run(ctx, syncx.Sync(nats.New(l, time.Hour).Mutex("m", 1, -1), pass), "")
		ended <- err
	}()
	<-l.written
	cancel()
	if err := <-ended; fault.CodeOf(err) != fault.Cancelled {
		t.Errorf("ended with %v", err)
	}
	close(l.on)
	clustertest.Eventually(t, "the key is deleted", func() bool {
		_, err := kv.Get(t.Context(), "m.places.0")
		return errors.Is(err, jetstream.ErrKeyNotFound)
	})
}

// cancelledBucket cancels the flow for which a place is taken, and loses the answer.
type cancelledBucket struct {
	jetstream.KeyValue
	cancel func()
}

func (s *cancelledBucket) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	revision, err := s.KeyValue.Create(ctx, key, value, opts...)
	if err != nil {
		return revision, err
	}
	s.cancel()
	return 0, context.DeadlineExceeded
}

// The place is given back before its lease is over. Those of others stay.
func TestCancelWhenTheAnswerIsLost(t *testing.T) {
	_, kv := serve(t).bucket()
	if _, err := kv.PutString(t.Context(), "m.places.0", "holder"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	mutex := nats.New(&cancelledBucket{kv, cancel}, time.Hour).Mutex("m", 2, -1)
	if _, err := flow.Run(ctx, syncx.Sync(mutex, pass), ""); fault.CodeOf(err) != fault.Cancelled {
		t.Errorf("ended with %v", err)
	}
	clustertest.Eventually(t, "the key is deleted", func() bool {
		_, err := kv.Get(t.Context(), "m.places.1")
		return errors.Is(err, jetstream.ErrKeyNotFound)
	})
	if e, err := kv.Get(t.Context(), "m.places.0"); err != nil || string(e.Value()) != "holder" {
		t.Errorf("the place of another process: %v", err)
	}
}

// releasedBucket lets the holder of a place go before a process that waits begins to watch.
type releasedBucket struct{ jetstream.KeyValue }

func (r releasedBucket) Watch(ctx context.Context, keys string, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	if err := r.Delete(ctx, "m.places.0"); err != nil {
		return nil, err
	}
	return r.KeyValue.Watch(ctx, keys, opts...)
}

// Keys of other guards don't count as places that are taken.
func TestOtherKeysAreNoPlaces(t *testing.T) {
	_, kv := serve(t).bucket()
	for _, key := range []string{"m.places.0", "m.places.1", "m.places.rate"} { // the last two are those of a larger mutex and of a throttle "m.places"
		if _, err := kv.PutString(t.Context(), key, "other"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := flow.Run(t.Context(), flow.Timeout(time.Minute, syncx.Sync(nats.New(releasedBucket{kv}, time.Hour).Mutex("m", 1, -1), pass)), ""); err != nil {
		t.Error(err)
	}
}

func TestNotMadeByNew(t *testing.T) {
	clustertest.WantIllFormed(t, map[string]syncx.Guard{
		"no bucket":         nats.New(nil, time.Minute).Mutex("m", 1, 0),
		"the zero Guards":   new(nats.Guards).Throttle("t", 1, time.Second, 0),
		"nil Guards":        (*nats.Guards)(nil).Limiter("l", syncx.Limits{}),
		"the zero Mutex":    new(nats.Mutex),
		"the zero Throttle": new(nats.Throttle),
		"the zero Limiter":  new(nats.Limiter),
		"a nil Mutex":       (*nats.Mutex)(nil),
		"a nil Throttle":    (*nats.Throttle)(nil),
		"a nil Limiter":     (*nats.Limiter)(nil),
	})
}

func TestNameIsNoKey(t *testing.T) {
	_, kv := serve(t).bucket()
	for _, name := range []string{"a b", "a..b", ".a", "a.", "a*", ">", "ä", strings.Repeat("a", 10_000)} {
		if err := nats.New(kv, time.Minute).Mutex(name, 1, 0).Err(); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%.20q: %v", name, err)
		}
	}
}
