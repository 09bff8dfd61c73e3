package nats_test

import (
	"context"
	"slices"
	"strings"
	"sync"
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

// spiedBucket counts calls of Get, Create and Update, and may hold up requests or lose them.
type spiedBucket struct {
	jetstream.KeyValue
	asked atomic.Int64
	calls func(key, value string) error // instead of a call; may be nil
	takes func()                        // before place 0 is updated; may be nil
	heard <-chan struct{}               // closed when the watcher may tell something; may be nil
}

func (s *spiedBucket) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	s.asked.Add(1)
	return s.KeyValue.Get(ctx, key)
}

func (s *spiedBucket) Create(ctx context.Context, key string, value []byte, opts ...jetstream.KVCreateOpt) (uint64, error) {
	s.asked.Add(1)
	return s.KeyValue.Create(ctx, key, value, opts...)
}

func (s *spiedBucket) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	s.asked.Add(1)
	if s.takes != nil && strings.HasSuffix(key, ".places.0") {
		s.takes()
	}
	return s.KeyValue.Update(ctx, key, value, revision)
}

func (s *spiedBucket) PutString(ctx context.Context, key, value string) (uint64, error) {
	if s.calls != nil {
		return 0, s.calls(key, value)
	}
	return s.KeyValue.PutString(ctx, key, value)
}

func (s *spiedBucket) Watch(ctx context.Context, keys string, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	w, err := s.KeyValue.Watch(ctx, keys, opts...)
	if err != nil || s.heard == nil {
		return w, err
	}
	later := make(chan jetstream.KeyValueEntry)
	go func() {
		for e := range w.Updates() {
			<-s.heard
			select {
			case later <- e:
			case <-ctx.Done():
			}
		}
	}()
	return lateWatcher{w, later}, nil
}

type lateWatcher struct {
	jetstream.KeyWatcher
	updates <-chan jetstream.KeyValueEntry
}

func (l lateWatcher) Updates() <-chan jetstream.KeyValueEntry { return l.updates }

// queue is a mutex "m" of one place, for which processes wait in the order in which they came.
type queue struct {
	t      *testing.T
	kv     jetstream.KeyValue
	mu     sync.Mutex
	inside []string
}

func (q *queue) entered(names ...string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Equal(q.inside, names)
}

// enter starts a process that enters and stays inside until let is closed. It returns when n processes wait, or, if n is 0,
// when this one is inside.
func (q *queue) enter(ctx context.Context, name string, kv jetstream.KeyValue, let <-chan struct{}, n int) <-chan error {
	q.t.Helper()
	return q.again(ctx, name, nats.New(kv, time.Hour).Mutex("m", 1, -1), let, n)
}

func (q *queue) again(ctx context.Context, name string, m *nats.Mutex, let <-chan struct{}, n int) <-chan error {
	q.t.Helper()
	before := q.waiting()
	ended := make(chan error, 1)
	section := step.Await(func(context.Context, string) (string, error) {
		q.mu.Lock()
		q.inside = append(q.inside, name)
		q.mu.Unlock()
		<-let
		return "", nil
	})
	go func() {
		_, err := flow.Run(ctx, syncx.Sync(m, section), "")
		ended <- err
	}()
	if n == 0 {
		clustertest.Eventually(q.t, "it is inside", func() bool { return m.Inside() == 1 })
		return ended
	}
	clustertest.Eventually(q.t, "it waits", func() bool {
		now := q.waiting()
		return len(now) == n && (len(before) == 0 || now[n-1] != before[len(before)-1])
	})
	return ended
}

func (q *queue) waiting() []string {
	e, err := q.kv.Get(context.Background(), "m.places.queue")
	if err != nil {
		return nil
	}
	return strings.Fields(string(e.Value()))
}

// holds lets a process wait for the place and enter, so that it hands the place over instead of freeing it.
func (q *queue) holds(kv jetstream.KeyValue, let <-chan struct{}) <-chan error {
	q.t.Helper()
	goes := make(chan struct{})
	before := q.enter(context.Background(), "before", q.kv, goes, 0)
	ended := q.enter(context.Background(), "first", kv, let, 1)
	close(goes)
	wantEnd(q.t, before)
	clustertest.Eventually(q.t, "it is inside", func() bool { return q.entered("before", "first") })
	return ended
}

var at = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// On a busy machine a process may look by itself, after a second: then the test tries again.
func TestWaiterIsCalled(t *testing.T) {
	for range 10 {
		s := serve(t)
		_, kv := s.bucket()
		q := &queue{t: t, kv: kv}
		let := make(chan struct{})
		first := q.holds(kv, let)
		began := time.Now()
		spied := &spiedBucket{KeyValue: kv}
		var before atomic.Int64
		spied.takes = func() { before.CompareAndSwap(0, spied.asked.Load()) }
		second := q.enter(t.Context(), "second", spied, at, 1)
		<-time.After(50 * time.Millisecond) // for the look after it has joined
		asked := spied.asked.Load()
		close(let)
		wantEnd(t, first)
		wantEnd(t, second)
		if time.Since(began) > time.Second/2 {
			continue
		}
		if n := before.Load() - asked; n != 1 {
			t.Errorf("it has made %d requests to take the place, want 1", n)
		}
		return
	}
	t.Error("it takes long each time")
}

// All that wait enter, although the calls of the first process are lost.
func TestCallIsLost(t *testing.T) {
	_, kv := serve(t).bucket()
	q := &queue{t: t, kv: kv}
	let := make(chan struct{})
	deaf := &spiedBucket{KeyValue: kv, calls: func(string, string) error { return nil }}
	all := []<-chan error{q.holds(deaf, let)}
	for i, name := range []string{"a", "b", "c"} {
		all = append(all, q.enter(t.Context(), name, kv, at, i+1))
	}
	close(let)
	for _, ended := range all {
		wantEnd(t, ended)
	}
}

// The process that has called is gone, and the called flow is cancelled. The lease lasts an hour.
func TestCallIsPassedOn(t *testing.T) {
	s := serve(t)
	_, kv := s.bucket()
	q := &queue{t: t, kv: kv}
	nc, leaves := s.bucket()
	dies := &spiedBucket{KeyValue: leaves}
	called := make(chan struct{})
	dies.calls = func(key, value string) error {
		defer close(called)
		defer nc.Close()
		_, err := kv.PutString(context.Background(), key, value)
		return err
	}
	let, heard := make(chan struct{}), make(chan struct{})
	first := q.holds(dies, let)
	ctx, cancel := context.WithCancel(t.Context())
	late := nats.New(&spiedBucket{KeyValue: kv, heard: heard}, time.Hour)
	a := q.again(ctx, "a", late.Mutex("m", 1, -1), at, 1)
	b := q.enter(t.Context(), "b", kv, at, 2)
	close(let)
	wantEnd(t, first)
	<-called
	cancel()
	if err := <-a; fault.CodeOf(err) != fault.Cancelled {
		t.Errorf("ended with %v", err)
	}
	close(heard)
	wantEnd(t, b)
	if !q.entered("before", "first", "b") {
		t.Errorf("%v have entered", q.inside)
	}
}

// The process that keeps the place for another is gone, and so is the other: a third one finds the place without waiting for
// a lease.
func TestPlaceIsKeptForNobody(t *testing.T) {
	_, kv := serve(t).bucket()
	for key, value := range map[string]string{"m.places.0": "kept", "m.places.queue": "dead-1:1 dead-2:1"} {
		if _, err := kv.PutString(t.Context(), key, value); err != nil {
			t.Fatal(err)
		}
	}
	q := &queue{t: t, kv: kv}
	wantEnd(t, q.enter(t.Context(), "a", kv, at, 3))
}

// The late flow stands in the queue anew, before those who come later.
func TestLateFlowIsPassedOver(t *testing.T) {
	_, kv := serve(t).bucket()
	q := &queue{t: t, kv: kv}
	let, goes, stays := make(chan struct{}), make(chan struct{}), make(chan struct{})
	first := q.holds(kv, let)
	var once sync.Once
	late := &spiedBucket{KeyValue: kv, takes: func() { once.Do(func() { <-goes }) }}
	a := q.enter(t.Context(), "a", late, at, 1)
	b := q.enter(t.Context(), "b", kv, stays, 2)
	close(let)
	wantEnd(t, first)
	clustertest.Eventually(t, "b is inside", func() bool { return q.entered("before", "first", "b") })
	before, _ := kv.Get(t.Context(), "m.places.queue")
	close(goes)
	clustertest.Eventually(t, "a waits again", func() bool {
		e, err := kv.Get(t.Context(), "m.places.queue")
		return err == nil && e.Revision() > before.Revision() && len(e.Value()) > 0
	})
	c := q.enter(t.Context(), "c", kv, at, 2)
	close(stays)
	for _, ended := range []<-chan error{a, b, c} {
		wantEnd(t, ended)
	}
	if !q.entered("before", "first", "b", "a", "c") {
		t.Errorf("%v have entered", q.inside)
	}
}
